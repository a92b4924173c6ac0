import { ConversionError } from '../../model/evolve/conversion.js';
import type { ObjectEvent } from '../../store/log/change.js';
import { type ModelView, ViewReader } from './view.js';

/** Events that are told together, or why one cannot be told. */
type Part = readonly ObjectEvent[] | ConversionError;

/** What was worked out for others who watch the same version. */
const known = new WeakMap<ModelView, WeakMap<readonly ObjectEvent[], readonly Part[]>>();

/**
 * Events as a version shows them, in their order; the same ones for all who are told the same. The log also holds
 * objects as they were stored before they were rewritten, so each is looked at.
 */
export function shownEvents(view: ModelView, events: readonly ObjectEvent[]): readonly Part[] {
  const ofView = known.get(view) ?? new WeakMap<readonly ObjectEvent[], readonly Part[]>();
  known.set(view, ofView);
  const parts = ofView.get(events) ?? getParts(view, events);
  ofView.set(events, parts);
  return parts;
}

function getParts(view: ModelView, events: readonly ObjectEvent[]): readonly Part[] {
  const shown = new ViewReader(view).readLogged(events.map(({ bytes }) => bytes));
  if (shown.every((bytes, i) => bytes === events[i]?.bytes)) return [events];
  const parts: Part[] = [];
  let together: ObjectEvent[] = [];
  const flush = (): void => {
    if (together.length > 0) parts.push(together);
    together = [];
  };
  for (const [i, event] of events.entries()) {
    const bytes = shown[i];
    if (bytes instanceof ConversionError) {
      flush();
      parts.push(bytes);
    } else if (bytes !== undefined) together.push({ ...event, bytes });
  }
  flush();
  return parts;
}
