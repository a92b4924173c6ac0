import { text } from '../../../texts.js';
import type { Ended } from './run.js';

/** The complete and the failed part of the work, as one text. */
export function formatSummary(ended: Ended, verb: (count: number) => string): string {
  const { done, refused, unsure, cut } = ended;
  const { bulk } = text.list;
  const parts = [verb(done)];
  if (refused > 0) parts.push(bulk.refused(refused));
  if (unsure > 0) parts.push(bulk.unsure(unsure));
  if (cut === 'stopped') parts.push(bulk.wasStopped);
  else if (cut === 'too many') parts.push(bulk.tooMany);
  else if (cut !== undefined) parts.push(cut.message);
  return parts.join(' · ');
}
