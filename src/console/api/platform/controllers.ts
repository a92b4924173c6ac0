import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { getJson } from '../http.js';
import { getPath } from '../models.js';

export interface Leader {
  /** Empty while no process leads. */
  readonly holder: string;
  readonly token: number;
  readonly isSelf: boolean;
}

export interface Retry {
  readonly name: string;
  readonly attempts: number;
  readonly error?: string;
  readonly nextAttempt: string;
}

export interface Controller {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly plugin: string;
    readonly resource: { readonly apiVersion: string; readonly kind: string; readonly plural: string };
  };
  readonly status: {
    readonly phase: string;
    readonly message?: string;
    readonly queueDepth: number;
    readonly oldestWaitingSince?: string;
    readonly inWork: readonly { readonly name: string; readonly since: string }[];
    readonly retries: { readonly total: number; readonly next: readonly Retry[] };
    readonly counts: { readonly reconciled: number; readonly failed: number };
    readonly lastError?: { readonly name: string; readonly message: string; readonly time: string };
  };
}

interface ControllerList {
  readonly leader: Leader;
  readonly items: readonly Controller[];
}

export const CONTROLLERS = {
  group: 'controller.platform.run',
  version: 'v1alpha1',
  plural: 'controllers',
} as const;
export const CONTROLLERS_URL = getPath(CONTROLLERS);
/** Controllers are in memory, so they cannot be watched. */
const AGAIN_MS = 2_000;

export function useControllers(): UseQueryResult<ControllerList> {
  return useQuery({
    queryKey: ['controllers'],
    queryFn: async ({ signal }) => (await getJson(CONTROLLERS_URL, signal)) as ControllerList,
    refetchInterval: AGAIN_MS,
  });
}
