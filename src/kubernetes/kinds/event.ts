import { invalidValue, type Cause } from '../../errors.js';
import { deepEqual, isRecord, textOf } from '../../lib/json/json.js';
import { keyFaults } from '../../model/names-and-labels.js';
import type { ObjectDraft } from '../../model/object.js';
import { missingCause } from '../../model/validate/violation.js';
import type { KindRules } from './kind-check.js';
import { IMMUTABLE } from './data.js';
import { microTimeFaults } from './micro-time.js';

/** The namespace of events about objects without one. */
const DEFAULT_NAMESPACE = 'default';

/** The namespaces of new events about objects without one. */
const SYSTEM_NAMESPACES: readonly unknown[] = [DEFAULT_NAMESPACE, 'kube-system'];
const WORD_BYTES_MAX = 128;
const MESSAGE_BYTES_MAX = 1_024;
const TYPES: readonly unknown[] = ['Normal', 'Warning'];
/** A new event has none of them. */
const OLD_TIMES = ['firstTimestamp', 'lastTimestamp'] as const;
const OLD_FIELDS = [...OLD_TIMES, 'count', 'source'] as const;
const FIXED = [
  'involvedObject',
  'reason',
  'message',
  'type',
  'action',
  'related',
  'reportingInstance',
  'source',
  'count',
  'eventTime',
];

export const EVENT: KindRules = {
  validate: (event) => eventFaults(event, 'reportingComponent'),
  views: {
    'events.k8s.io': (event, stored) => [
      ...eventFaults(event, 'reportingController'),
      ...(stored === undefined ? newEventFaults(event) : changeFaults(event, stored)),
    ],
  },
};

/** @param reporter the name of the field of the reporting component */
function eventFaults(event: ObjectDraft, reporter: string): readonly Cause[] {
  const times = [
    ...microTimeFaults(event, ['eventTime']),
    ...microTimeFaults(event.series, ['lastObservedTime'], 'series'),
  ];
  if (times.length > 0) return times;
  return isEmpty(event.eventTime) ? oldEventFaults(event) : timedEventFaults(event, reporter);
}

function oldEventFaults(event: ObjectDraft): readonly Cause[] {
  const namespace = aboutNamespace(event);
  return event.metadata?.namespace === (namespace === '' ? DEFAULT_NAMESPACE : namespace)
    ? []
    : [otherNamespace()];
}

/** An event with a time may be in any namespace, and needs to say more. */
function timedEventFaults(event: ObjectDraft, reporter: string): readonly Cause[] {
  const isElsewhere = aboutNamespace(event) === '' && !SYSTEM_NAMESPACES.includes(event.metadata?.namespace);
  const component = textOf(event.reportingComponent);
  return [
    ...(isElsewhere ? [otherNamespace()] : []),
    ...missing({ [reporter]: component }, reporter),
    ...keyFaults(component).map(({ message }) => invalidValue(reporter, message)),
    ...['reportingInstance', 'action', 'reason'].flatMap((field) => [
      ...missing(event, field),
      ...tooLong(event, field, WORD_BYTES_MAX),
    ]),
    ...tooLong(event, 'message', MESSAGE_BYTES_MAX),
  ];
}

function newEventFaults(event: ObjectDraft): readonly Cause[] {
  return [
    ...seriesFaults(event),
    ...missing(event, 'eventTime'),
    ...(TYPES.includes(event.type) ? [] : [invalidValue('type', `must be ${TYPES.join(' or ')}`)]),
    ...OLD_FIELDS.filter((field) => !isEmpty(event[field])).map((field) =>
      invalidValue(field, 'must not be set'),
    ),
  ];
}

function changeFaults(event: ObjectDraft, stored: ObjectDraft): readonly Cause[] {
  const changed = [
    ...FIXED.filter((field) => !isSame(event[field], stored[field])),
    ...OLD_TIMES.filter((field) => secondsOf(event[field]) !== secondsOf(stored[field])),
    ...(isSame(event.reportingComponent, stored.reportingComponent) ? [] : ['reportingController']),
  ];
  return [
    ...(isSame(event.series, stored.series) ? [] : seriesFaults(event)),
    ...changed.map((field) => invalidValue(field, IMMUTABLE)),
  ];
}

function seriesFaults({ series }: ObjectDraft): readonly Cause[] {
  if (!isRecord(series)) return [];
  const { count = 0, lastObservedTime } = series;
  return [
    ...(typeof count === 'number' && count < 2 ? [invalidValue('series.count', 'must be at least 2')] : []),
    ...missing({ 'series.lastObservedTime': lastObservedTime }, 'series.lastObservedTime'),
  ];
}

function aboutNamespace({ involvedObject }: ObjectDraft): string {
  return isRecord(involvedObject) ? textOf(involvedObject.namespace) : '';
}

function otherNamespace(): Cause {
  const message = `must be the namespace of the event; without one it is "${DEFAULT_NAMESPACE}"`;
  return invalidValue('involvedObject.namespace', message);
}

function missing(object: Readonly<Record<string, unknown>>, field: string): Cause[] {
  return isEmpty(object[field]) ? [missingCause(field)] : [];
}

function tooLong(event: ObjectDraft, field: string, bytesMax: number): Cause[] {
  const bytes = Buffer.byteLength(textOf(event[field]));
  return bytes > bytesMax ? [invalidValue(field, `must have at most ${bytesMax} bytes`)] : [];
}

/** Go's zero values, which clients send for absent ones. */
function isEmpty(value: unknown): boolean {
  if (isRecord(value)) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || value === '' || value === 0;
}

function isSame(a: unknown, b: unknown): boolean {
  return deepEqual(a, b) || (isEmpty(a) && isEmpty(b));
}

/** Clients of Kubernetes send times back without fractions of a second. */
function secondsOf(time: unknown): number | undefined {
  return typeof time === 'string' ? Math.floor(Date.parse(time) / 1_000) : undefined;
}
