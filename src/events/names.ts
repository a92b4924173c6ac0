const GROUP = 'events.platform.run';
const VERSION = 'v1alpha1';

export const EVENT_API_VERSION = `${GROUP}/${VERSION}`;
/** The model of events, as verbs name it. */
export const EVENTS = { group: GROUP, version: VERSION, kind: 'Event', plural: 'events' };

export const EVENT_TYPES = ['Normal', 'Warning'] as const;
/** `Warning`: a person should check the object. */
export type EventType = (typeof EVENT_TYPES)[number];
