import type { Cause } from '../../errors.js';
import { isRecord, joinPath } from '../../lib/json/json.js';
import { checkNames, keyFaults } from '../names-and-labels.js';
import { formatValue, missingCause, rewordedCause } from '../validate/violation.js';

const API_VERSION = /^(?:[^/]+\/)?[^/]+$/;
const KIND = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/i;

/** Causes for a resource inside an object. @param path of the resource */
export function findEmbeddedCauses(resource: Readonly<Record<string, unknown>>, path: string): Cause[] {
  const { apiVersion, kind, metadata } = resource;
  return [
    ...textCauses(joinPath(path, 'apiVersion'), apiVersion, API_VERSION, 'must be <group>/<version>'),
    ...textCauses(joinPath(path, 'kind'), kind, KIND, 'must be a DNS label, in upper or lower case'),
    ...(isRecord(metadata) ? nameCauses(metadata, path) : []),
  ];
}

function textCauses(field: string, given: unknown, form: RegExp, rule: string): Cause[] {
  if (given === undefined) return [missingCause(field)];
  if (typeof given === 'string' && form.test(given)) return [];
  return [{ field, reason: 'FieldValueInvalid', message: `${rule}, got ${formatValue(given)}` }];
}

/** A resource inside an object may have any name that is a segment of a path, or none. */
function nameCauses(metadata: Readonly<Record<string, unknown>>, path: string): Cause[] {
  const { name = '' } = metadata;
  const named: Record<string, unknown> = { ...metadata, name: 'some' };
  delete named.generateName;
  const causes = [...checkNames({ metadata: named }, 'segment'), ...finalizerCauses(metadata.finalizers)].map(
    (cause) => rewordedCause(cause, { field: joinPath(path, cause.field) }),
  );
  if (typeof name !== 'string' || !/^\.{1,2}$|[/%]/.test(name)) return causes;
  const message = `must not be "." or "..", and not contain "/" or "%", got ${formatValue(name)}`;
  return [...causes, { field: joinPath(path, 'metadata.name'), reason: 'FieldValueInvalid', message }];
}

/** Finalizers are named like labels. */
export function finalizerCauses(finalizers: unknown): Cause[] {
  const names: readonly unknown[] = Array.isArray(finalizers) ? finalizers : [];
  return names.flatMap((name, at) =>
    (typeof name === 'string' ? keyFaults(name) : []).map((fault) => ({
      field: `metadata.finalizers[${at}]`,
      ...fault,
    })),
  );
}
