import { cloneJson, isRecord } from '../../lib/json/json.js';
import type { ExtensionObject, JsonObject } from '../../model/object.js';
import { count, pathText, type KindVersion } from '../kind.js';

/** In `v1`, the metrics that this version has no field for, as in Kubernetes. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const CURRENT = 'autoscaling.alpha.kubernetes.io/current-metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';

/** Annotations of `v1`, with the members of `v2` that they contain in JSON. */
const HIDDEN = [
  { annotation: METRICS, part: 'spec', member: 'metrics' },
  { annotation: BEHAVIOR, part: 'spec', member: 'behavior' },
  { annotation: CURRENT, part: 'status', member: 'currentMetrics' },
  { annotation: CONDITIONS, part: 'status', member: 'conditions' },
] as const;

const SHORT = [
  { part: 'spec', short: 'targetCPUUtilizationPercentage', list: 'metrics', at: 'target' },
  { part: 'status', short: 'currentCPUUtilizationPercentage', list: 'currentMetrics', at: 'current' },
] as const;

/** HorizontalPodAutoscalers in `v1`: a target of the CPU is a field, everything else of `v2` is in annotations. */
export const AUTOSCALER_V1: KindVersion = {
  version: 'v1',
  message: 'api.autoscaling.v1.HorizontalPodAutoscaler',
  columns: [
    pathText('Reference', ".spec.scaleTargetRef['kind','name']"),
    count('Targets', '.spec.targetCPUUtilizationPercentage'),
    count('MinPods', '.spec.minReplicas'),
    count('MaxPods', '.spec.maxReplicas'),
    count('Replicas', '.status.currentReplicas'),
  ],
  conversion: { up: toV2, down: toV1 },
};

function toV2(given: ExtensionObject): ExtensionObject {
  const object = cloneJson(given);
  const { annotations = {} } = object.metadata;
  for (const { annotation, part, member } of HIDDEN) {
    const value = parsed(annotations[annotation]);
    Reflect.deleteProperty(annotations, annotation);
    if (value !== undefined) partOf(object, part)[member] = value;
  }
  if (Object.keys(annotations).length === 0) Reflect.deleteProperty(object.metadata, 'annotations');
  for (const { part, short, list, at } of SHORT) {
    const owner = object[part];
    if (!isRecord(owner) || owner[short] === undefined) continue;
    const { [short]: averageUtilization, ...rest } = owner;
    const value = { ...(at === 'target' && { type: 'Utilization' }), averageUtilization };
    const metric = { type: 'Resource', resource: { name: 'cpu', [at]: value } };
    object[part] = { ...rest, [list]: [metric, ...listOf(owner[list])] };
  }
  return object;
}

function toV1(given: ExtensionObject): ExtensionObject {
  const object = cloneJson(given);
  for (const { part, short, list, at } of SHORT) {
    const owner = object[part];
    if (!isRecord(owner)) continue;
    const metrics = listOf(owner[list]);
    const cpu = metrics.find((metric) => utilizationOf(metric, at) !== undefined);
    if (cpu === undefined) continue;
    const { [list]: _all, ...rest } = owner;
    const left = metrics.filter((metric) => metric !== cpu);
    const others = left.length > 0 && { [list]: left };
    object[part] = { ...rest, [short]: utilizationOf(cpu, at), ...others };
  }
  for (const { annotation, part, member } of HIDDEN) {
    const owner = object[part];
    if (!isRecord(owner) || owner[member] === undefined) continue;
    const { [member]: value, ...rest } = owner;
    object[part] = rest;
    object.metadata.annotations = { ...object.metadata.annotations, [annotation]: JSON.stringify(value) };
  }
  return object;
}

/** The utilization of the CPU in a metric; undefined for another metric. */
function utilizationOf(metric: unknown, at: 'target' | 'current'): unknown {
  const resource = isRecord(metric) && metric.type === 'Resource' ? metric.resource : undefined;
  const value = isRecord(resource) && resource.name === 'cpu' ? resource[at] : undefined;
  return isRecord(value) ? value.averageUtilization : undefined;
}

function partOf(object: ExtensionObject, part: 'spec' | 'status'): Record<string, unknown> {
  const known = object[part];
  if (isRecord(known)) return known;
  const made: JsonObject = {};
  object[part] = made;
  return made;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Undefined for what is no JSON. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
