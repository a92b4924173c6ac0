/** Types of answers besides objects and lists. A client that asks for plain JSON is sent the first two as such. */

/** A watch, one JSON text on each line. */
export const WATCH_TYPE = 'application/json;stream=watch';
/** A watch as server-sent events. */
export const EVENTS_TYPE = 'text/event-stream';
/** How a list would run. */
export const EXPLANATION_TYPE = 'application/json;g=api.platform.run;v=v1alpha1;as=ListExplanation';
