import { ConversionError } from '../../model/evolve/conversion.js';
import type { ObjectEvent } from '../../store/log/change.js';
import { type ModelView, ViewReader } from './view.js';

/** Events that are delivered together, or the error of an event that cannot be converted. */
type Part = readonly ObjectEvent[] | ConversionError;

/** Results for other watchers of the same version. */
const known = new WeakMap<ModelView, WeakMap<readonly ObjectEvent[], readonly Part[]>>();

/**
 * Events in a version, in their order; watchers with the same events share the result. The log also has objects from
 * before a rewrite to another version, so each one is checked.
 */
export async function shownEvents(view: ModelView, events: readonly ObjectEvent[]): Promise<readonly Part[]> {
  const ofView = known.get(view) ?? new WeakMap<readonly ObjectEvent[], readonly Part[]>();
  known.set(view, ofView);
  const parts = ofView.get(events);
  if (parts !== undefined) return parts;
  const stored = events.map(({ bytes }) => bytes);
  const made = await view.withHeld(stored, () => getParts(view, events));
  ofView.set(events, made);
  return made;
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
