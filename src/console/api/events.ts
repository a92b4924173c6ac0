import type { UseQueryResult } from '@tanstack/react-query';
import { getPath, useModels, type ModelRef } from './models.js';
import { fieldIs } from './selectors.js';
import type { StoredObject } from './objects.js';
import { useItems } from './use-items.js';

interface RecordedEvent extends StoredObject {
  readonly involvedObject: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
  };
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
  readonly lastTimestamp?: string;
  /** Of new events, which have no other last time and count. */
  readonly eventTime?: string;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
}

const EVENTS: readonly ModelRef[] = [
  { group: 'events.platform.run', version: 'v1alpha1', plural: 'events' },
  // Where the kinds of Kubernetes are served.
  { group: '', version: 'v1', plural: 'events' },
];

export function isOfEvents({ group, plural }: ModelRef): boolean {
  return EVENTS.some((one) => one.group === group && one.plural === plural);
}

/** The model of events; undefined while it is unknown. */
export function useEventModel(): ModelRef | undefined {
  const models = useModels().data?.filter(isOfEvents) ?? [];
  return EVENTS.find(({ group }) => models.some((one) => one.group === group));
}

export function lastSeen({ series, lastTimestamp, eventTime }: RecordedEvent): string | undefined {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime;
}

export function countOf({ series, count }: RecordedEvent): number {
  return series?.count ?? count ?? 1;
}

/** The latest events, newest first. @param about the `uid` of an object; absent: of all objects */
export function useEvents(
  model: ModelRef,
  limit: number,
  about?: string,
): UseQueryResult<readonly RecordedEvent[]> {
  const parameters = new URLSearchParams({ sort: 'lastTimestamp,desc', limit: String(limit) });
  if (about !== undefined) parameters.set('fieldSelector', fieldIs('involvedObject.uid', about));
  const url = `${getPath(model)}?${parameters.toString()}`;
  return useItems('events', url);
}
