import { useQuery } from '@tanstack/react-query';
import { arrayAt, isObject, textAt } from '../lib/json.js';
import type { Change } from './changes.js';
import { getJson } from './http.js';
import { objectPath } from './models.js';

/** When and by whom a change was made. */
export interface ChangeStory {
  readonly time: string | undefined;
  /** Undefined where nobody was asked who they are. */
  readonly user: string | undefined;
  readonly verb: string | undefined;
}

/** Changes of one object that are looked through for the one that is asked for. */
const LIMIT = '20';

/** Undefined as long as it is not known, and where it may not be. */
export function useStory(change: Change | undefined): ChangeStory | undefined {
  const { data } = useQuery({
    queryKey: ['story', change && objectPath(change.model, change.name), change?.revision],
    queryFn: ({ signal }) => (change === undefined ? null : readStory(change, signal)),
    enabled: change !== undefined,
    // What was done does not change any more.
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
