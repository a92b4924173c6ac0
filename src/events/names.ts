const GROUP = 'events.platform.run';
const VERSION = 'v1alpha1';

export const EVENT_API_VERSION = `${GROUP}/${VERSION}`;
/** What verbs call the model of events. */
export const EVENTS = { group: GROUP, version: VERSION, kind: 'Event', plural: 'events' };

export const EVENT_TYPES = ['Normal', 'Warning'] as const;
/** `Warning`: somebody should look at it. */
export type EventType = (typeof EVENT_TYPES)[number];
