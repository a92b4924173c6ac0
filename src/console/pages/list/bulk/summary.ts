import { t } from '../../../texts.js';
import type { Ended } from './run.js';

/** The complete and the failed part of the work, as one text. */
export function formatSummary(ended: Ended, verb: (count: number) => string): string {
  const { done, refused, unsure, cut } = ended;
  const parts = [verb(done)];
  if (refused > 0) parts.push(t`${refused} refused`);
  if (unsure > 0) parts.push(t`no answer for ${unsure}: they may or may not be changed`);
  if (cut === 'stopped') parts.push(t`stopped; the rest is unchanged`);
  else if (cut === 'too many') parts.push(t`stopped because too many were refused`);
  else if (cut !== undefined) parts.push(cut.message);
  return parts.join(' · ');
}
