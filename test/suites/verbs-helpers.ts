import { expect } from 'vitest';
import { ServiceError, type ErrorCode } from '../../src/errors.js';
import type { ExtensionObject, ObjectDraft } from '../../src/model/object.js';
import type { ListOptions } from '../../src/query/list-options.js';
import type { Verbs } from '../../src/service/verbs.js';
import { PERSON, type PersonSpec } from '../helpers/models.js';

/** Gives the verbs of the door that is open for the running case. */
export type DoorVerbs = () => Verbs;

export function person(
  name: string,
  spec: PersonSpec = {},
  metadata: NonNullable<ObjectDraft['metadata']> = {},
): ObjectDraft {
  return { metadata: { name, ...metadata }, spec };
}

export function pet(name: string, spec: Record<string, unknown> = { species: 'cat' }): ObjectDraft {
  return { metadata: { name }, spec };
}

/** The object as it is stored after creating it. */
export async function created(verbs: Verbs, draft: ObjectDraft): Promise<ExtensionObject> {
  return (await verbs.create(PERSON, draft)).object;
}

/** The error that a write or read is refused with. */
export async function refusal(action: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await action.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
}

/** The fields that a refusal with this code names, sorted. */
export async function refusedFields(code: ErrorCode, action: Promise<unknown>): Promise<string[]> {
  const error = await refusal(action);
  expect(error.code, error.message).toBe(code);
  return (error.details.causes ?? []).map((cause) => cause.field).sort();
}

export async function expectCode(code: ErrorCode, action: Promise<unknown>): Promise<void> {
  const error = await refusal(action);
  expect(error.code, error.message).toBe(code);
}

export async function namesOf(verbs: Verbs, options: ListOptions = {}): Promise<string[]> {
  return (await verbs.list(PERSON, options)).items.map((item) => item.metadata.name);
}

/** The store-wide revision, which every stored write moves. */
export async function revisionOf(verbs: Verbs): Promise<string> {
  return (await verbs.list(PERSON, { size: 1 })).metadata.resourceVersion;
}
