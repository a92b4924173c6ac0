import { randomBytes } from 'node:crypto';
import { excerpt, ServiceError } from '../errors.js';
import { cloneJson } from '../lib/json.js';
import type { ExtensionObject, Metadata } from '../model/object.js';
import type { Table } from '../store/table.js';
import type { StoreTransaction } from '../store/transaction.js';
import { assemble, checkIdentity, detailsOf, statedMetadata, validateObject } from './draft.js';
import type { ServiceContext } from './context.js';
import type { WriteOptions, WriteResult } from './verbs.js';

/** An object that is ready to be stored, but for the revision and, when it is generated, the name. */
export interface Prepared {
  readonly table: Table;
  readonly object: ExtensionObject;
  readonly generated: boolean;
  readonly warnings: readonly string[];
}

/** How many names are tried before collisions are taken for a fault. */
const NAME_ATTEMPTS = 100;

/**
 * Everything about a create that does not depend on what is stored.
 * @throws ServiceError `BadRequest`, `Invalid`
 */
export function prepareCreate(
  context: ServiceContext,
  table: Table,
  body: unknown,
  options: WriteOptions,
): Prepared {
  checkIdentity(table.resource, body);
  const draft = cloneJson(body);
  const stated = statedMetadata(draft);
  const generated = stated.name === undefined && typeof stated.generateName === 'string';
  const metadata: Metadata = {
    ...stated,
    // What is missing or of a wrong type is found by the validation below.
    name: generated ? generateName(stated.generateName ?? '') : (stated.name as string),
    uid: context.uid(),
    generation: 1,
    version: 0,
    resourceVersion: '0',
    creationTimestamp: context.now().toISOString(),
  };
  const object = assemble(table.resource, metadata, draft);
  const warnings = validateObject(table, object, options);
  return { table, object, generated, warnings };
}

/** @throws ServiceError `AlreadyExists` */
export function insertPrepared(tx: StoreTransaction, prepared: Prepared): WriteResult {
  const { table, generated, warnings } = prepared;
  const name = generated ? freeName(tx, prepared) : prepared.object.metadata.name;
  if (!generated && tx.find(table, name) !== undefined) throw alreadyExists(table, name);
  const metadata = { ...prepared.object.metadata, name, resourceVersion: String(tx.nextRevision) };
  const object = { ...prepared.object, metadata };
  tx.insert(table, object);
  return { object, changed: true, warnings };
}

function freeName(tx: StoreTransaction, { table, object }: Prepared): string {
  let { name } = object.metadata;
  for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    if (tx.find(table, name) === undefined) return name;
    name = generateName(object.metadata.generateName ?? '');
  }
  throw alreadyExists(table, name);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const SUFFIX_MAX = 8;
const SUFFIX_MIN = 5;
const NAME_LENGTH_MAX = 253;

/** The longest prefixes leave room for fewer random characters. */
function generateName(prefix: string): string {
  const length = Math.max(SUFFIX_MIN, Math.min(SUFFIX_MAX, NAME_LENGTH_MAX - prefix.length));
  return prefix + Array.from(randomBytes(length), (byte) => LETTERS[byte % LETTERS.length]).join('');
}

function alreadyExists(table: Table, name: string): ServiceError {
  const shown = excerpt(name);
  const { plural, group } = table.resource;
  const what = group === '' ? plural : `${plural}.${group}`;
  return new ServiceError('AlreadyExists', `${what} "${shown}" already exists`, {
    ...detailsOf(table.resource, name),
    causes: [{ field: 'metadata.name', reason: 'FieldValueDuplicate', message: `"${shown}" already exists` }],
  });
}
