import { skipToken, useQuery } from '@tanstack/react-query';
import { arrayAt, isObject, textAt } from '../lib/json.js';
import type { Change } from './changes.js';
import { getJson } from './http.js';
import { objectPath } from './models.js';
import { t } from '../texts.js';

/** The time and the user of a change. */
interface ChangeStory {
  readonly time: string | undefined;
  /** Undefined without authentication. */
  readonly user: string | undefined;
  readonly verb: string | undefined;
}

const VERBS: ReadonlyMap<string, () => string> = new Map([
  ['create', () => t`Created`],
  ['update', () => t`Updated`],
  ['patch', () => t`Patched`],
  ['delete', () => t`Deleted`],
]);

export function formatVerb(verb: string): string {
  return VERBS.get(verb)?.() ?? verb;
}

/** The number of an object's changes that are searched for the requested one. */
const LIMIT = '20';

/** Undefined while it is unknown, and when it may not be read. */
export function useStory(change: Change | undefined): ChangeStory | undefined {
  const { data } = useQuery({
    queryKey: ['story', change && objectPath(change.model, change.name), change?.revision],
    queryFn: change === undefined ? skipToken : ({ signal }) => readStory(change, signal),
    // A past change is immutable.
    staleTime: Infinity,
  });
  return data ?? undefined;
}

async function readStory(
  { model, name, revision }: Change,
  signal: AbortSignal,
): Promise<ChangeStory | null> {
  const history = await getJson(`${objectPath(model, name)}/history?limit=${LIMIT}`, signal);
  const found = arrayAt(history, 'items').find(
    (item) => textAt(item, 'resourceVersion') === String(revision),
  );
  if (!isObject(found)) return null;
  return { time: textAt(found, 'time'), user: textAt(found, 'user'), verb: textAt(found, 'verb') };
}
