import { cloneJson } from '../../lib/json/json.js';
import type { Resumable } from '../../lib/work/yield.js';
import {
  GENERATED_SUFFIX_LENGTH,
  GENERATED_SUFFIX_LENGTH_MAX,
  NAME_LENGTH_MAX,
} from '../../model/names-and-labels.js';
import type { Metadata } from '../../model/object.js';
import { formatTimestamp } from '../../model/timestamp.js';
import { ReadyObject } from '../../store/ready-object.js';
import { applyPendingMigrations, isStorageObject } from './pending-migrations.js';
import type { ServiceContext } from '../context.js';
import { answeredWith, type PreparedChange } from './change.js';
import { createToStorageVersion } from './storage-version.js';
import { assemble, checkIdentity, checkNamespace, judgeObject, statedMetadata } from './validate-write.js';
import type { WriteOptions } from '../verbs.js';
import type { ManagedFields } from './apply/field-managers.js';
import { managedFieldsAfter, setManagedFields } from './apply/managed-write.js';
import type { ModelView } from '../read/view.js';

/**
 * Prepares a create. Its commit checks that the name is free.
 * @throws ServiceError `BadRequest`, `Invalid`
 */
export function* prepareCreate(
  context: ServiceContext,
  model: ModelView,
  body: unknown,
  options: WriteOptions & { readonly managedFields?: ManagedFields },
): Resumable<PreparedChange> {
  checkIdentity(model.resource, body);
  const draft = cloneJson(body);
  yield;
  const given = statedMetadata(model.resource, draft);
  const { version } = given;
  checkNamespace(model.resource, given);
  const { name = '', generateName: prefix } = given;
  // Kubernetes clients send an empty name together with a prefix.
  const isNameGenerated = name === '' && typeof prefix === 'string' && prefix !== '';
  const now = context.now();
  const uid = context.uid();
  // `Object.assign` is faster than members after a spread, each of which costs a call into V8's runtime.
  const metadata: Metadata = Object.assign(given, {
    // The validation below finds a missing name or a wrong type.
    name: isNameGenerated ? generateName(prefix, uid) : (given.name as string),
    uid,
    generation: 1,
    version: 0,
    resourceVersion: '0',
    creationTimestamp: formatTimestamp(model.resource, now),
    updateTimestamp: now.toISOString(),
  });
  // A member without a value would be one of a wrong type.
  if (given.name === undefined && !isNameGenerated) Reflect.deleteProperty(metadata, 'name');
  if (model.resource.origin !== undefined) {
    // The validation reports one that is stated.
    if (version === undefined) Reflect.deleteProperty(metadata, 'version');
    else metadata.version = version;
  }
  if (model.resource.statusBy === 'subresource') delete draft.status;
  const stated = applyPendingMigrations(model, assemble(model.resource, metadata, draft));
  const isStored = isStorageObject(model, stated);
  const { warnings, refusal } = judgeObject(isStored ? model.table : model, stated, options);
  yield;
  const write = { model, part: undefined, options, body, before: undefined, after: stated };
  const managedFields = options.managedFields ?? managedFieldsAfter(context, write);
  if (refusal !== undefined) {
    // Reviewers see them.
    setManagedFields(stated.metadata, managedFields);
    throw refusal;
  }
  const object = isStored ? stated : createToStorageVersion(model, stated, { options, warnings });
  setManagedFields(object.metadata, managedFields);
  const ready = new ReadyObject(model.table, object);
  return { kind: 'insert', ...answeredWith(model, object), object: ready, warnings, isNameGenerated };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The last digits of a uid: all of them are random. */
const UID_DIGITS = 2 * GENERATED_SUFFIX_LENGTH_MAX;

/** The longest prefixes leave room for fewer random characters. */
function generateName(prefix: string, uid: string): string {
  const left = NAME_LENGTH_MAX - prefix.length;
  const length = Math.max(GENERATED_SUFFIX_LENGTH, Math.min(GENERATED_SUFFIX_LENGTH_MAX, left));
  const random = Buffer.from(uid.replaceAll('-', '').slice(-UID_DIGITS), 'hex').subarray(-length);
  return prefix + Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join('');
}
