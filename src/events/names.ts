import type { OwnerReference } from '../model/object.js';
import { versionKey, type GroupVersionKind } from '../model/resource.js';
import type { ResourceRef } from '../service/verbs.js';

const GROUP = 'events.platform.run';
const VERSION = 'v1alpha1';

/** The model of events, as verbs name it, in a service without the kinds of Kubernetes. */
export const EVENTS: ResourceRef = { group: GROUP, version: VERSION, kind: 'Event', plural: 'events' };
/** The model of events in a service with the kinds of Kubernetes, which shows them in the group of {@link EVENTS} as well. */
export const KUBERNETES_EVENTS: ResourceRef = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
};

/**
 * The model of events among all models of a service, or of a store. A store has both where the kinds of Kubernetes were
 * switched off.
 */
export function findEvents(models: readonly ResourceRef[]): ResourceRef | undefined {
  const own = new Set(models.filter(({ storedGroup }) => storedGroup === undefined).map(versionKey));
  return [EVENTS, KUBERNETES_EVENTS].find((events) => own.has(versionKey(events)));
}

const EVENT_GROUPS: readonly string[] = [EVENTS.group, KUBERNETES_EVENTS.group, 'events.k8s.io'];

/** True for events in any group that shows them. */
export function isEvent({ group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>): boolean {
  return kind === EVENTS.kind && EVENT_GROUPS.includes(group);
}

/** The same for an object. */
export function isEventObject({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): boolean {
  return isEvent({ group: apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/'))), kind });
}

/** The namespace of an object's events, in a namespaced model of events: that of the object, if it has one. */
export function eventNamespace(namespace: string | undefined): string {
  return namespace ?? 'default';
}

/** Paths of the columns of events: new ones and old ones have their values in other members. The first value counts. */
export const EVENT_PATHS = {
  lastSeen: "['series.lastObservedTime','lastTimestamp','eventTime','metadata.creationTimestamp']",
  firstSeen: "['firstTimestamp','eventTime','metadata.creationTimestamp']",
  count: "['series.count','count']",
} as const;

export const EVENT_TYPES = ['Normal', 'Warning'] as const;
/** `Warning`: a person should check the object. */
export type EventType = (typeof EVENT_TYPES)[number];
