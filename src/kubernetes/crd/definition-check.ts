import { cloneJson, isRecord } from '../../lib/json/json.js';
import type { Cause } from '../../errors.js';
import type { JsonObject, ObjectDraft } from '../../model/object.js';
import { formatTimestamp } from '../../model/timestamp.js';
import { nodeOf, objectNodeOf } from '../../model/structural/node.js';
import { prune, setDefaults } from '../../model/structural/repair.js';
import { checkMetadata, checkValue } from '../../model/structural/structural-check.js';
import type { DataIndex } from '../../model/declare/data-model.js';
import type { ObjectCheck } from '../../model/validate/validator.js';
import { checkDefinition } from './rules/accept.js';
import { approvalCondition } from './rules/approval.js';
import { withDefinitionDefaults } from './defaults.js';
import type { Definition, DefinitionNames } from './definition.js';
import { declaredIndexes, objectIndexFaults } from './indexes.js';
import { hintFaults } from './hints.js';
import { referenceFaults } from './references.js';
import { acceptNames, type NamesCondition, type TakenNames } from './names.js';

/** Removed when the objects of a deleted definition are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export interface DefinitionCheckOptions {
  /** The names in a group that other kinds have. */
  readonly findTaken: (definition: Definition) => TakenNames;
  readonly now: () => Date;
}

/**
 * Checks definitions, sets their defaults, and decides in their status whether they are served: a definition is stored
 * once, together with its conditions.
 */
export function definitionCheck(prunable: JsonObject, options: DefinitionCheckOptions): ObjectCheck {
  const node = objectNodeOf(prunable);
  return (object, stored, { isStored = false } = {}) => {
    const unknown = prune(node, object);
    Object.assign(object, withDefinitionDefaults(object as JsonObject));
    const causes = isStored
      ? []
      : findDefinitionFaults(object as JsonObject, stored as JsonObject | undefined);
    if (!isStored && causes.length === 0) establish(object, options);
    return { causes, unknown };
  };
}

/** The name is that of the kind. */
const NAME = 'metadata.name';

/** The faults of a definition with its defaults. @param stored the definition that it replaces */
export function findDefinitionFaults(crd: JsonObject, stored: JsonObject | undefined): readonly Cause[] {
  const { annotations } = (crd as Definition).metadata ?? {};
  const causes = [
    ...checkMetadata(crd as ObjectDraft).filter(({ field }) => field !== NAME),
    ...checkDefinition(crd, checkDefault, stored),
    ...(isRecord(annotations) ? declaredIndexes(annotations).causes : []),
  ];
  return causes.length > 0
    ? causes
    : [...objectIndexFaults(crd), ...referenceFaults(crd), ...hintFaults(crd)];
}

/** Faults of a default: fields that its schema does not declare, and violations. */
function checkDefault(schema: JsonObject, value: unknown): readonly Cause[] {
  const node = nodeOf(schema);
  const copy = { value: cloneJson(value) };
  const unknown = prune(node, copy.value).map(({ path }): Cause => ({
    field: path,
    reason: 'FieldValueInvalid',
    message: 'is not declared',
  }));
  setDefaults(node, copy.value);
  return unknown.length > 0 ? unknown : checkValue(schema, copy.value);
}

interface DefinitionStatus {
  readonly acceptedNames?: DefinitionNames;
  readonly conditions?: readonly Condition[];
  readonly storedVersions?: readonly string[];
}

type Condition = Omit<NamesCondition, 'type'> & {
  readonly type: string;
  readonly lastTransitionTime?: string;
};

/** Sets the finalizer and the status. A definition that was served once stays so. */
function establish(object: ObjectDraft, { findTaken, now }: DefinitionCheckOptions): void {
  const { metadata } = object;
  // A body without it must not let the objects stay.
  if (metadata !== undefined && metadata.deletionTimestamp === undefined)
    metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), CLEANUP_FINALIZER])];
  const definition: Definition = object as JsonObject;
  const { names = {}, versions = [] } = definition.spec ?? {};
  const before = statusOf(object);
  const { accepted, condition } = acceptNames(names, findTaken(definition), before.acceptedNames);
  const isServed = condition.status === 'True' || isTrue(before, 'Established');
  const time = formatTimestamp({ origin: 'core' }, now());
  const storage = versions.find((version) => version.storage === true)?.name ?? '';
  const approval = approvalCondition(definition);
  const conditions: readonly Condition[] = [
    condition,
    isServed ? ESTABLISHED : NOT_ESTABLISHED,
    ...(approval === undefined ? [] : [approval]),
  ];
  object.status = {
    ...before,
    conditions: [
      ...(before.conditions ?? []).filter(({ type }) => !conditions.some((one) => one.type === type)),
      ...conditions.map((one) => timed(one, before, time)),
    ],
    acceptedNames: accepted,
    storedVersions: [...new Set([...(before.storedVersions ?? []), storage])],
  };
}

const ESTABLISHED = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the kind is served',
} as const;

const NOT_ESTABLISHED = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
} as const;

export function statusOf({ status }: { readonly status?: unknown }): DefinitionStatus {
  return isRecord(status) ? status : {};
}

/** The conditions of definitions, as `type=status`. */
export const CONDITIONS_INDEX: DataIndex = {
  name: 'status.conditions',
  keyType: 'string',
  multi: true,
  unique: false,
  order: 'ASC',
  sparse: false,
  source: 'conditions 1',
  read: (object) => (statusOf(object).conditions ?? []).map(({ type, status }) => `${type}=${status}`),
};

export function isTrue({ conditions = [] }: DefinitionStatus, type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

/** A condition keeps its time while its status stays. */
function timed(condition: Condition, { conditions = [] }: DefinitionStatus, time: string): Condition {
  const before = conditions.find(({ type }) => type === condition.type);
  const isSame = before?.status === condition.status && before.lastTransitionTime !== undefined;
  return { lastTransitionTime: isSame ? before.lastTransitionTime : time, ...condition };
}
