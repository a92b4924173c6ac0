import type { UseQueryResult } from '@tanstack/react-query';
import { getPath } from './models.js';
import { fieldIs } from './selectors.js';
import type { StoredObject } from './objects.js';
import { useItems } from './use-items.js';

/** An event of an object. */
export interface RecordedEvent extends StoredObject {
  readonly involvedObject: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
  };
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly lastTimestamp: string;
}

export const EVENTS = { group: 'events.platform.run', version: 'v1alpha1', plural: 'events' } as const;

/** The latest events, newest first. @param about the `uid` of an object; absent: of all objects */
export function useEvents(limit: number, about?: string): UseQueryResult<readonly RecordedEvent[]> {
  const parameters = new URLSearchParams({ sort: 'lastTimestamp,desc', limit: String(limit) });
  if (about !== undefined) parameters.set('fieldSelector', fieldIs('involvedObject.uid', about));
  const url = `${getPath(EVENTS)}?${parameters.toString()}`;
  return useItems('events', url);
}
