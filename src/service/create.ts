import { randomBytes } from 'node:crypto';
import { cloneJson } from '../lib/json.js';
import type { Steps } from '../lib/yield.js';
import type { Metadata } from '../model/object.js';
import { ReadyObject } from '../store/ready-object.js';
import type { Table } from '../store/table.js';
import type { ServiceContext } from './context.js';
import type { Decision } from './decision.js';
import { assemble, checkIdentity, statedMetadata, validateObject } from './validate-write.js';
import type { WriteOptions } from './verbs.js';

/**
 * A create, but for the question whether the name is taken.
 * @throws ServiceError `BadRequest`, `Invalid`
 */
export function* decideCreate(
  context: ServiceContext,
  table: Table,
  body: unknown,
  options: WriteOptions,
): Steps<Decision> {
  checkIdentity(table.resource, body);
  const draft = cloneJson(body);
  yield;
  const stated = statedMetadata(draft);
  const isNameGenerated = stated.name === undefined && typeof stated.generateName === 'string';
  // Members that are added behind a spread cost a call into V8's runtime each.
  const metadata: Metadata = Object.assign(stated, {
    // What is missing or of a wrong type is found by the validation below.
    name: isNameGenerated ? generateName(stated.generateName ?? '') : (stated.name as string),
    uid: context.uid(),
    generation: 1,
    version: 0,
    resourceVersion: '0',
    creationTimestamp: context.now().toISOString(),
  });
  const object = assemble(table.resource, metadata, draft);
  const warnings = validateObject(table, object, options);
  return { kind: 'insert', table, object: new ReadyObject(table, object), warnings, isNameGenerated };
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
