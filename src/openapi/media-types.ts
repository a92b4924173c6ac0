/**
 * Media types of responses that are neither objects nor lists. A client that asks for plain JSON gets the first two as plain JSON.
 */

/** A watch, one JSON text per line. */
export const WATCH_TYPE = 'application/json;stream=watch';
/** A watch as server-sent events. */
export const EVENTS_TYPE = 'text/event-stream';
export const EXPLANATION_TYPE = 'application/json;g=api.platform.run;v=v1alpha1;as=ListExplanation';
