import {
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { arrayAt, getMember, objectAt, textAt } from '../../lib/json.js';
import { getJson, postJson } from '../http.js';
import { objectPath, type ModelRef } from '../models.js';
import { readObjects, type ObjectList, type StoredObject } from '../objects.js';

export const WEBHOOKS = { group: 'delivery.platform.run', version: 'v1alpha1', plural: 'webhooks' } as const;
/** The names of its actions in roles: `get` reads the dead letters, `create` sends changes again. */
export const DEAD_LETTERS = { ...WEBHOOKS, plural: 'webhooks/deadletters' } as const;
export const REPLAYS = { ...WEBHOOKS, plural: 'webhooks/replay' } as const;

export function isWebhooks({ group, plural }: ModelRef): boolean {
  return group === WEBHOOKS.group && plural === WEBHOOKS.plural;
}

/** A model in the words of a webhook. */
interface NamedKind {
  readonly group: string;
  readonly kind: string;
}

export interface Webhook {
  readonly name: string;
  readonly url: string;
  readonly models: readonly NamedKind[];
  readonly isEnabled: boolean;
  /** Every change up to this revision was delivered, or given up. */
  readonly position: number;
  readonly pending: number;
  readonly delivered: number;
  /** Changes that were given up. */
  readonly failed: number;
  readonly lastError: string | undefined;
  readonly lastErrorTime: string | undefined;
  /** Of the last attempt. */
  readonly lastTime: string | undefined;
}

export function getWebhook(object: StoredObject): Webhook {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const count = (name: string): number => Number(status[name] ?? 0);
  return {
    name: object.metadata.name,
    url: textAt(spec, 'url') ?? '',
    models: arrayAt(spec, 'models').map((model) => ({
      group: textAt(model, 'group') ?? '',
      kind: textAt(model, 'kind') ?? '',
    })),
    isEnabled: spec.enabled !== false,
    position: count('position'),
    pending: count('pending'),
    delivered: count('delivered'),
    failed: count('failed'),
    lastError: textAt(status, 'lastError'),
    lastErrorTime: textAt(status, 'lastErrorTime'),
    lastTime: textAt(status, 'lastTime'),
  };
}

export const WEBHOOKS_KEY = ['webhooks'] as const;

export function useWebhooks(): UseQueryResult<ObjectList<Webhook>> {
  return useQuery({
    queryKey: WEBHOOKS_KEY,
    queryFn: ({ signal }) => readObjects(WEBHOOKS, getWebhook, signal),
  });
}

/** A change that a webhook has given up. */
export interface DeadLetter extends NamedKind {
  readonly id: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resourceVersion: string;
  readonly name: string;
  readonly attempts: number;
  readonly lastError: string;
  readonly lastTime: string;
}

interface DeadLetterPage {
  readonly items: readonly DeadLetter[];
  /** For the next page; absent after the last one. */
  readonly next: string | undefined;
}

const AGAIN_MS = 2_000;
export const DEAD_LETTERS_KEY = ['dead letters'] as const;

/** The dead letters of a webhook, oldest first, page by page. */
export function useDeadLetters(name: string): UseInfiniteQueryResult<InfiniteData<DeadLetterPage>> {
  return useInfiniteQuery({
    queryKey: [...DEAD_LETTERS_KEY, name],
    queryFn: async ({ pageParam, signal }): Promise<DeadLetterPage> => {
      const search = pageParam === '' ? '' : `?${new URLSearchParams({ continue: pageParam }).toString()}`;
      const list = await getJson(`${objectPath(WEBHOOKS, name)}/deadletters${search}`, signal);
      return {
        items: arrayAt(list, 'items') as readonly DeadLetter[],
        next: textAt(objectAt(list, 'metadata'), 'continue'),
      };
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    refetchInterval: AGAIN_MS,
  });
}

/** The changes that are sent again: all after a revision, or the dead letters. */
export type Replay = { readonly fromRevision: number } | { readonly deadletters: true };

/** Resolves with the number of dead letters that are sent again. */
export async function replay(name: string, what: Replay): Promise<number> {
  const answer = await postJson(`${objectPath(WEBHOOKS, name)}/replay`, what);
  return Number(getMember(answer, 'count') ?? 0);
}
