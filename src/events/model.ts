import { AbstractExtension } from '../model/declare/extension.js';
import { GVK } from '../model/declare/gvk.js';
import { IndexSpecs } from '../model/declare/index-spec.js';
import type { SchemeRegistry } from '../model/declare/registry.js';
import type { DeclareIndexes } from '../model/declare/scheme-builder.js';
import type { Column } from '../model/resource.js';
import { PLATFORM } from '../model/declare/scheme.js';
import { withGerman, type FieldTexts } from '../model/schema/german.js';
import { modelHint } from '../model/schema/hints.js';
import { EVENT_TYPES, EVENTS, type EventType } from './names.js';
import type { Models } from '../service/models.js';

/** The object that an event is about. */
export interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Absent for an object of a cluster-scoped model. */
  readonly namespace?: string;
  /** Differs from the uid of any other object with the same name. */
  readonly uid: string;
}

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };

/** Titles and descriptions of the fields in German. */
const GERMAN: FieldTexts = {
  involvedObject: ['Objekt', 'Das Objekt, um das es geht'],
  'involvedObject.kind': ['Art'],
  'involvedObject.name': ['Objekt'],
  type: ['Typ', 'Warning: braucht Aufmerksamkeit'],
  reason: ['Grund', 'Grund für Programme in einem Wort, wie ReconcileFailed'],
  message: ['Meldung', 'Meldung für Menschen'],
  count: ['Anzahl', 'Wie oft es geschah'],
  firstTimestamp: ['Zuerst', 'Zeit des ersten Mals'],
  lastTimestamp: ['Zuletzt', 'Zeit des letzten Mals'],
  reportingComponent: ['Gemeldet von', 'Das Plugin oder der Controller'],
};

/**
 * An event that happened to an object, recorded by a controller or plugin, for people. Kept for an hour after its
 * last occurrence.
 */
@GVK({ ...EVENTS, singular: 'event' })
export class RecordedEvent extends AbstractExtension {
  static readonly columns: readonly Column[] = [
    { name: 'Last-seen', jsonPath: '.lastTimestamp', type: 'date' },
    { name: 'Type', jsonPath: '.type', type: 'string' },
    { name: 'Reason', jsonPath: '.reason', type: 'string' },
    { name: 'Kind', jsonPath: '.involvedObject.kind', type: 'string' },
    { name: 'Object', jsonPath: '.involvedObject.name', type: 'string' },
    { name: 'Count', jsonPath: '.count', type: 'integer' },
    { name: 'Message', jsonPath: '.message', type: 'string' },
  ];

  static readonly schema = withGerman(GERMAN, {
    type: 'object',
    ...modelHint('bell', 'Ereignisse', 'Ereignis'),
    required: ['involvedObject', 'type', 'reason', 'message', 'count', 'firstTimestamp', 'lastTimestamp'],
    properties: {
      involvedObject: {
        type: 'object',
        description: 'The object that the event is about',
        required: ['apiVersion', 'kind', 'name'],
        properties: {
          apiVersion: text,
          kind: { ...text },
          name: { ...text },
          uid: text,
        },
      },
      type: { ...text, enum: [...EVENT_TYPES], description: 'Warning: needs attention' },
      reason: {
        ...text,
        minLength: 1,
        description: 'Machine-readable reason in one word, such as ReconcileFailed',
      },
      message: { ...text, description: 'Human-readable message' },
      count: { type: 'integer', minimum: 1, description: 'Number of occurrences' },
      firstTimestamp: { ...time, description: 'Time of the first occurrence' },
      lastTimestamp: { ...time, description: 'Time of the last occurrence' },
      reportingComponent: { ...text, description: 'The plugin or controller that recorded it' },
    },
  });

  declare involvedObject: InvolvedObject;
  declare type: EventType;
  declare reason: string;
  declare message: string;
  declare count: number;
  declare firstTimestamp: string;
  declare lastTimestamp: string;
  declare reportingComponent?: string;
}

const declareIndexes: DeclareIndexes = (specs) => {
  const addTextIndex = (name: string, value: (event: RecordedEvent) => string): void =>
    void specs.add(IndexSpecs.single<RecordedEvent>(name, 'string').indexFunc(value));
  addTextIndex('involvedObject.kind', ({ involvedObject }) => involvedObject.kind);
  addTextIndex('involvedObject.name', ({ involvedObject }) => involvedObject.name);
  addTextIndex('involvedObject.uid', ({ involvedObject }) => involvedObject.uid);
  addTextIndex('reason', ({ reason }) => reason);
  addTextIndex('type', ({ type }) => type);
  specs.add(
    IndexSpecs.single<RecordedEvent>('lastTimestamp', 'instant').indexFunc(
      ({ lastTimestamp }) => lastTimestamp,
    ),
  );
};

export async function openEventModel(models: Pick<Models, 'open'>, registry: SchemeRegistry): Promise<void> {
  const given = { allowReservedGroup: true };
  await models.open(registry.register(RecordedEvent, PLATFORM, declareIndexes, given));
}
