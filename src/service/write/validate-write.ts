import { badRequest, formatExcerpt, invalid, ServiceError, shortPath, type Cause } from '../../errors.js';
import { isRecord, setOwn } from '../../lib/json/json.js';
import { didYouMean } from '../../lib/suggest.js';
import { checkPluginKeys, isDnsLabel } from '../../model/names-and-labels.js';
import {
  SYSTEM_METADATA,
  type ExtensionObject,
  type Metadata,
  type ObjectDraft,
} from '../../model/object.js';
import { isNamespaced, splitFullName } from '../../model/full-name.js';
import { withoutIncluded } from '../../model/included.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import type { Faults, UnknownField } from '../../model/declare/scheme.js';
import { formatValue, missingCause } from '../../model/validate/violation.js';
import type { Table } from '../../store/table.js';
import type { FieldValidation, Subresource, WriteOptions } from '../verbs.js';
import { getDetails, getSubject, invalidObject } from '../object-errors.js';
import { InvalidObjectError } from './faults/invalid-object-error.js';

/**
 * Checks that a body is an object of the model and, when a full name is given, that its own name and namespace are the same.
 * @throws ServiceError `BadRequest` for another apiVersion, kind, namespace or name, `Invalid` for metadata of a wrong type
 */
export function checkIdentity(
  resource: Resource,
  draft: unknown,
  name?: string,
): asserts draft is ObjectDraft {
  if (!isRecord(draft)) throw badRequest('the body must be an object');
  const apiVersion = getApiVersion(resource);
  refuseOther('apiVersion', draft.apiVersion, apiVersion);
  refuseOther('kind', draft.kind, resource.kind);
  const { metadata } = draft;
  if (metadata === undefined) return;
  if (!isRecord(metadata)) {
    const causes: Cause[] = [
      { field: 'metadata', reason: 'FieldValueInvalid', message: 'must be an object' },
    ];
    throw invalid(getSubject(resource, name), causes, getDetails(resource, name));
  }
  if (name === undefined) return;
  const nameParts = splitFullName(name, resource);
  refuseOther('metadata.name', metadata.name, nameParts.name);
  const namespace = metadata.namespace ?? '';
  if (nameParts.namespace !== undefined && namespace !== '')
    refuseOther('metadata.namespace', namespace, nameParts.namespace);
}

/** @throws ServiceError `Invalid` for a new object of a namespaced model without a valid namespace */
export function checkNamespace(resource: Resource, { namespace }: Partial<Metadata>): void {
  if (!isNamespaced(resource) || (typeof namespace === 'string' && isDnsLabel(namespace))) return;
  const field = 'metadata.namespace';
  const wrong = {
    field,
    reason: 'FieldValueInvalid',
    message: `must be a lowercase DNS label, got ${formatValue(namespace)}`,
  } as const;
  const cause = namespace === undefined ? missingCause(field) : wrong;
  throw invalid(resource.kind, [cause], getDetails(resource, undefined));
}

function refuseOther(field: string, found: unknown, expected: string): void {
  if (found === undefined || found === expected) return;
  throw badRequest(
    `${field} of the body is ${formatValue(found)}, but the path has "${formatExcerpt(expected)}"`,
  );
}

/** The object with its parts in written order: type, metadata, then the rest as sent. */
export function assemble(resource: Resource, metadata: Metadata, rest: ObjectDraft): ExtensionObject {
  const { apiVersion: _a, kind: _k, metadata: _m, ...fields } = withoutIncluded(resource, rest);
  return { apiVersion: getApiVersion(resource), kind: resource.kind, metadata, ...fields };
}

/** The metadata that a client may state: without fields that the service sets, and without undefined members. */
export function statedMetadata(resource: Resource, draft: ObjectDraft): Partial<Metadata> {
  const stated: Partial<Metadata> = {};
  const fields = getFields(resource);
  // Members are not deleted from a copy: that would turn off V8's fast objects, here and in all later uses.
  for (const field in draft.metadata) if (!fields.has(field)) setOwn(stated, field, draft.metadata[field]);
  return stated;
}

const SYSTEM_FIELDS: ReadonlySet<string> = new Set(SYSTEM_METADATA);
/** In models of Kubernetes' rules, `version` is an unknown field, which the validation reports. */
const NAMESPACED_FIELDS: ReadonlySet<string> = new Set([
  ...SYSTEM_METADATA.filter((field) => field !== 'version'),
  // Manifests that were read from a cluster have them.
  'deletionGracePeriodSeconds',
  'selfLink',
]);
const CLUSTER_FIELDS: ReadonlySet<string> = new Set([...NAMESPACED_FIELDS, 'namespace']);

function getFields(resource: Resource): ReadonlySet<string> {
  if (resource.origin === undefined) return SYSTEM_FIELDS;
  return isNamespaced(resource) ? NAMESPACED_FIELDS : CLUSTER_FIELDS;
}

/** The rules for an object: a version of a model. */
export type Judging = Pick<Table, 'scheme' | 'resource' | 'problem'>;

export interface ValidateWriteOptions extends WriteOptions {
  readonly subresource?: Subresource;
}

/**
 * Validates an object against its model and fills in defaults, in place. Violations that the stored object already
 * has are not refused.
 * @param before the stored object, which is to be replaced
 * @returns warnings: fields that are kept though no schema declares them, and violations of the stored object
 * @throws InvalidObjectError with every violation that the write adds; ServiceError `ServiceUnavailable` without the model's
 * code
 */
export function validateObject(...given: Parameters<typeof judgeObject>): string[] {
  const { warnings, refusal } = judgeObject(...given);
  if (refusal !== undefined) throw refusal;
  return warnings;
}

/** The result of a validation. */
export interface JudgedObject {
  readonly warnings: string[];
  readonly refusal?: InvalidObjectError;
}

/** {@link validateObject}, for callers who complete an invalid object before they refuse it. */
export function judgeObject(
  model: Judging,
  object: ObjectDraft,
  { subresource, ...options }: ValidateWriteOptions,
  before?: ExtensionObject,
): JudgedObject {
  const { scheme, resource } = model;
  if (scheme === undefined)
    throw model.problem() ?? new ServiceError('ServiceUnavailable', 'model without code');
  const part = subresource === 'finalize' ? { subresource } : undefined;
  const { causes, unknown, old } = scheme.validate(object, before, { ...part, user: options.user });
  const mode: FieldValidation = options.fieldValidation ?? 'Warn';
  if (mode === 'Strict' && resource.origin !== undefined && unknown.length > 0) throw undecodable(unknown);
  const all = [...causes, ...finalizerCauses(object, before)];
  if (options.author === 'plugin') all.push(...reservedKeyCauses(object, before));
  if (mode === 'Strict') all.push(...unknown.map(unknownCause));
  if (all.length > 0) {
    return { warnings: [], refusal: new InvalidObjectError(invalidObject(resource, object, all), object) };
  }
  return {
    warnings: [
      ...(mode === 'Warn' ? unknown.map(unknownWarning) : []),
      ...(old === undefined ? [] : oldWarnings(old, mode)),
    ],
  };
}

/** Kubernetes' clients expect this code and this start of the message. */
function undecodable(unknown: readonly UnknownField[]): ServiceError {
  const fields = unknown.slice(0, OLD_MAX).map(unknownWarning);
  return badRequest(`strict decoding error: ${fields.join(', ')}`);
}

function unknownCause({ path, suggestion }: UnknownField): Cause {
  return {
    field: path,
    reason: 'FieldValueForbidden',
    message: `unknown field${didYouMean(suggestion)}`,
  };
}

function unknownWarning({ path, suggestion }: UnknownField): string {
  return `unknown field "${shortPath(path)}"${didYouMean(suggestion)}`;
}

/** Most characters of an existing violation in a warning: with its other text it still fits into a header. */
const OLD_LENGTH_MAX = 160;
/** Most existing violations that are listed one by one. */
const OLD_MAX = 20;

function oldWarnings({ causes, unknown }: Faults, mode: FieldValidation): string[] {
  const texts = [
    ...causes.map(({ field, message }) => `${shortPath(field)}: ${message}`),
    ...(mode === 'Ignore' ? [] : unknown.map(unknownWarning)),
  ];
  const listed = texts.slice(0, OLD_MAX).map(preexistingWarning);
  return texts.length > OLD_MAX ? [...listed, 'there are more errors from before this write'] : listed;
}

/** The warning about a violation that the write did not add. */
export function preexistingWarning(fault: string): string {
  return `${formatExcerpt(fault, OLD_LENGTH_MAX)} (an error from before this write)`;
}

/** While an object is being deleted, finalizers can only be removed. */
function finalizerCauses(object: ObjectDraft, before: ExtensionObject | undefined): Cause[] {
  if (before?.metadata.deletionTimestamp === undefined) return [];
  const had = new Set(before.metadata.finalizers ?? []);
  const added = (object.metadata?.finalizers ?? []).filter((finalizer) => !had.has(finalizer));
  return added.map((finalizer) => ({
    field: 'metadata.finalizers',
    reason: 'FieldValueForbidden',
    message: `"${formatExcerpt(finalizer)}" cannot be added: the object is being deleted`,
  }));
}

/** Plugins may not use reserved keys; existing ones of other authors may stay. */
function reservedKeyCauses(object: ObjectDraft, before: ExtensionObject | undefined): Cause[] {
  return checkPluginKeys({
    labels: added(object.metadata?.labels, before?.metadata.labels),
    annotations: added(object.metadata?.annotations, before?.metadata.annotations),
  });
}

function added(
  now: Record<string, string> = {},
  before: Record<string, string> = {},
): Record<string, string> {
  return Object.fromEntries(Object.entries(now).filter(([key, value]) => before[key] !== value));
}
