import { badRequest, invalid } from '../errors.js';
import { getOwn, isRecord } from '../lib/json/json.js';
import type { ExtensionObject, ObjectDraft } from './object.js';
import type { Resource, ScaledMembers } from './resource.js';
import { formatValue } from './validate/violation.js';

export const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const;
export const SCALE_VERSION = `${SCALE.group}/${SCALE.version}`;

/** A model with the subresource `scale`. */
export type ScalableResource = Resource & { readonly scale: ScaledMembers };

export function isScalable(resource: Resource): resource is ScalableResource {
  return resource.scale !== undefined;
}

/** The `Scale` of an object. Its spec is empty for an object without the number of replicas. */
export function scaleOf({ scale }: ScalableResource, object: ExtensionObject) {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = valueAt(object, scale.specReplicasPath);
  const running = valueAt(object, scale.statusReplicasPath);
  const { labelSelectorPath } = scale;
  const selector = labelSelectorPath === undefined ? '' : selectorText(valueAt(object, labelSelectorPath));
  return {
    kind: SCALE.kind,
    apiVersion: SCALE_VERSION,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: typeof replicas === 'number' ? { replicas } : {},
    status: {
      replicas: typeof running === 'number' ? running : 0,
      ...(selector !== '' && { selector }),
    },
  };
}

const OPERATORS: ReadonlyMap<unknown, string> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
]);

/** A label selector as text; it is a text already, a map of labels, or has the parts of Kubernetes. */
function selectorText(selector: unknown): string {
  if (typeof selector === 'string') return selector;
  if (!isRecord(selector)) return '';
  const { matchLabels, matchExpressions } = selector;
  if (matchLabels === undefined && matchExpressions === undefined) return labelsText(selector).join();
  const expressions: readonly unknown[] = Array.isArray(matchExpressions) ? matchExpressions : [];
  return [...labelsText(matchLabels), ...expressions.map(expressionText)].join();
}

function labelsText(labels: unknown): string[] {
  return isRecord(labels) ? Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`) : [];
}

function expressionText(expression: unknown): string {
  if (!isRecord(expression)) return '';
  const { key, operator, values } = expression;
  if (!Array.isArray(values) || !OPERATORS.has(operator))
    return `${operator === 'DoesNotExist' ? '!' : ''}${String(key)}`;
  return `${String(key)} ${OPERATORS.get(operator) ?? ''} (${values.join()})`;
}

/** @throws ServiceError `Invalid` for an object without the number of replicas */
export function checkScaled(resource: ScalableResource, object: ExtensionObject): void {
  const { specReplicasPath: path } = resource.scale;
  if (typeof valueAt(object, path) === 'number') return;
  refuseReplicas(resource, object, 'the object has no number there, so it has no scale');
}

/**
 * The object with the number of replicas of a `Scale`. Without a number it is 0, because clients in Go leave out a zero.
 * @throws ServiceError `BadRequest` for another kind, `Invalid` for a negative number
 */
export function withScale(
  resource: ScalableResource,
  object: ObjectDraft,
  scale: unknown,
): Readonly<Record<string, unknown>> {
  if (!isRecord(scale)) throw badRequest('the body must be a Scale');
  const { apiVersion = SCALE_VERSION, kind = SCALE.kind, metadata = {}, spec = {} } = scale;
  if (apiVersion !== SCALE_VERSION || kind !== SCALE.kind)
    throw badRequest(
      `the body is a ${formatValue(kind)} of ${formatValue(apiVersion)}, not a Scale of ${SCALE_VERSION}`,
    );
  if (!isRecord(metadata)) throw badRequest('metadata of a Scale must be an object');
  const replicas = replicasIn(spec);
  if (replicas < 0) refuseReplicas(resource, object, `must not be negative, got ${replicas}`);
  const { name, namespace, uid, resourceVersion } = { ...object.metadata, ...metadata };
  const stated = { ...object.metadata, name, namespace, uid, resourceVersion };
  const steps = stepsOf(resource.scale.specReplicasPath);
  return { ...withValue(object, steps, replicas), metadata: stated };
}

const INT32_END = 2 ** 31;

function replicasIn(spec: unknown): number {
  const replicas = (isRecord(spec) ? spec.replicas : spec) ?? 0;
  if (typeof replicas === 'number' && Number.isInteger(replicas) && Math.abs(replicas) < INT32_END)
    return replicas;
  throw badRequest(`spec.replicas of a Scale must be an integer of 32 bits, got ${formatValue(replicas)}`);
}

function refuseReplicas(resource: ScalableResource, { metadata }: ObjectDraft, message: string): never {
  const { group, kind, scale } = resource;
  const name = metadata?.name ?? '';
  const field = scale.specReplicasPath.slice(1);
  const cause = { field, reason: 'FieldValueInvalid', message } as const;
  throw invalid(`${kind} "${name}"`, [cause], { group, kind, name });
}

function stepsOf(path: string): readonly string[] {
  return path.slice(1).split('.');
}

function valueAt(object: ExtensionObject, path: string): unknown {
  return stepsOf(path).reduce<unknown>(
    (value, step) => (isRecord(value) ? getOwn(value, step) : undefined),
    object,
  );
}

function withValue(
  object: Readonly<Record<string, unknown>>,
  [step = '', ...below]: readonly string[],
  value: number,
): Readonly<Record<string, unknown>> {
  const inner = getOwn(object, step);
  const next = below.length === 0 ? value : withValue(isRecord(inner) ? inner : {}, below, value);
  return { ...object, [step]: next };
}
