import { formatExcerpt } from '../../../errors.js';
import { isRecord } from '../../../lib/json/json.js';
import { compareTexts } from '../../../lib/compare-texts.js';
import type { JsonObject } from '../../../model/object.js';
import { FieldsFault, readFields, writeFields } from '../paths/fields-v1.js';
import type { Managed, Managers } from './managed.js';

/** Managers of an object, with the times of their last changes. */
export interface ManagedState {
  readonly managers: Managers;
  /** RFC 3339 with seconds, by the key of the manager. */
  readonly times: ReadonlyMap<string, string>;
}

export const NO_MANAGERS: ManagedState = { managers: new Map(), times: new Map() };

export type Operation = 'Apply' | 'Update';

/** Identifies a manager. The version counts for updates only: an applier changes it. */
export interface ManagerName {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion?: string;
  readonly subresource?: string;
}

/** A `managedFields` that cannot be read. */
export class EntriesFault extends Error {}

export function keyOf({ manager, operation, apiVersion = '', subresource = '' }: ManagerName): string {
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource]);
}

/** @param key from {@link keyOf} */
export function nameOf(key: string): Required<ManagerName> {
  const [manager = '', operation, apiVersion = '', subresource = ''] = JSON.parse(key) as string[];
  return { manager, operation: operation === 'Apply' ? 'Apply' : 'Update', apiVersion, subresource };
}

/**
 * Reads a `metadata.managedFields`.
 * @throws EntriesFault with the entry and what is wrong
 */
export function readEntries(entries: unknown): ManagedState {
  if (entries === undefined || entries === null) return NO_MANAGERS;
  if (!Array.isArray(entries)) throw new EntriesFault('is not a list');
  const managers = new Map<string, Managed>();
  const times = new Map<string, string>();
  for (const [at, entry] of entries.entries()) {
    const { name, version, fields, time } = readEntry(entry, at);
    const key = keyOf(name);
    managers.set(key, { fields, version, isApplied: name.operation === 'Apply' });
    if (time !== undefined) times.set(key, time);
  }
  return { managers, times };
}

function readEntry(entry: unknown, at: number) {
  const fault = (what: string): EntriesFault => new EntriesFault(`has an entry ${at} ${what}`);
  if (!isRecord(entry)) throw fault('that is not an object');
  const { manager = '', operation, apiVersion, fieldsType, fieldsV1, time, subresource } = entry;
  if (typeof manager !== 'string') throw fault('whose manager is not a string');
  if (operation !== 'Apply' && operation !== 'Update')
    throw fault(
      `with the operation ${formatExcerpt(JSON.stringify(operation ?? null))}; use "Apply" or "Update"`,
    );
  if (typeof apiVersion !== 'string' || apiVersion === '') throw fault('without an apiVersion');
  if (fieldsType !== 'FieldsV1') throw fault('whose fieldsType is not "FieldsV1"');
  const name: ManagerName = {
    manager,
    operation,
    apiVersion,
    ...(typeof subresource === 'string' && { subresource }),
  };
  try {
    const fields = readFields(fieldsV1 ?? {});
    return { name, version: apiVersion, fields, time: typeof time === 'string' ? time : undefined };
  } catch (error) {
    if (!(error instanceof FieldsFault)) throw error;
    throw fault(`whose fieldsV1 ${error.message}`);
  }
}

/** The `metadata.managedFields` of managers: applies first, then by time and name. Undefined without managers. */
export function writeEntries({ managers, times }: ManagedState): JsonObject[] | undefined {
  if (managers.size === 0) return undefined;
  const entries = [...managers].map(([key, fieldSet]) => ({
    ...nameOf(key),
    fieldSet,
    time: times.get(key),
    seconds: secondsOf(times.get(key)),
  }));
  entries.sort(
    (a, b) =>
      compareTexts(a.operation, b.operation) ||
      a.seconds - b.seconds ||
      compareTexts(a.manager, b.manager) ||
      compareTexts(a.fieldSet.version, b.fieldSet.version) ||
      compareTexts(a.subresource, b.subresource),
  );
  return entries.map(({ manager, operation, fieldSet, time, subresource }) => ({
    ...(manager !== '' && { manager }),
    operation,
    apiVersion: fieldSet.version,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: writeFields(fieldSet.fields),
    ...(subresource !== '' && { subresource }),
  }));
}

/** 0 for no time, and for one that cannot be read. */
export function secondsOf(time: string | undefined): number {
  const ms = time === undefined ? 0 : Date.parse(time);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1_000);
}
