import { getReason, invalid, ServiceError, type Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import type { ExtensionObject } from '../../model/object.js';
import { getApiVersion, isStorageVersion, type Resource } from '../../model/resource.js';
import { parsed } from '../../query/filter/fault.js';
import type { Models } from '../../service/models.js';
import { ROLES } from '../models.js';
import { getOwnRules } from '../policy.js';
import type { AccessRule } from '../rules.js';
import { parseRuleFilter } from './rule-part.js';

/** Stands for any user: the types of its names are those of every user. */
const ANYBODY = { user: 'user', groups: ['group'] };

/**
 * Refuses a role whose filters the indexes of its models cannot answer, and fields that its models do not have. Models that are not
 * served yet are not compared.
 * @throws ServiceError `Invalid`
 */
export function checkLimits(models: Pick<Models, 'list'>, role: ExtensionObject): void {
  const causes = getOwnRules(role).flatMap((rule, i) =>
    faultsIn(rule, models).map(({ field, message }): Cause => ({
      field: `rules[${i}].${field}`,
      reason: 'FieldValueInvalid',
      message,
    })),
  );
  if (causes.length === 0) return;
  const { name } = role.metadata;
  throw invalid(`${ROLES.kind} "${name}"`, causes, { group: ROLES.group, kind: ROLES.kind, name });
}

interface Fault {
  /** In the rule. */
  readonly field: string;
  readonly message: string;
}

function faultsIn(rule: AccessRule, models: Pick<Models, 'list'>): readonly Fault[] {
  const { filter, fields = {}, apiGroups = [], resources = [], nonResourceURLs = [] } = rule;
  const limits = ['filter', 'fields'].filter((limit) => limit in rule);
  const [limit] = limits;
  if (limit === undefined) return [];
  if (nonResourceURLs.length > 0) return [{ field: limit, message: 'is not possible with nonResourceURLs' }];
  if (filter !== undefined && [...apiGroups, ...resources].includes('*'))
    return [{ field: 'filter', message: 'needs the names of its models in apiGroups and resources, not *' }];
  const covered = models.list().filter((model) => covers(rule, model));
  return [
    ...(filter === undefined ? [] : filterFaults(filter, covered.filter(isStorageVersion))),
    ...(['read', 'write'] as const).flatMap((use) => pathFaults(fields[use] ?? [], use, covered)),
  ];
}

/** @returns one fault at most */
function filterFaults(filter: string, models: readonly Resource[]): readonly Fault[] {
  const at = (error: unknown, where: string): readonly Fault[] => {
    if (!(error instanceof ServiceError)) throw error;
    return [{ field: 'filter', message: `${where}${getReason(error)}` }];
  };
  try {
    parsed(filter);
  } catch (error) {
    return at(error, '');
  }
  for (const model of models)
    try {
      parseRuleFilter(filter, ANYBODY, model);
    } catch (error) {
      return at(error, `for ${model.plural} of ${getApiVersion(model)}: `);
    }
  return [];
}

function pathFaults(paths: readonly string[], use: string, models: readonly Resource[]): readonly Fault[] {
  return paths.flatMap((path, i) => {
    const field = `fields.${use}[${i}]`;
    if (!/^[^\s.[\]]+(\.[^\s.[\]]+)*$/.test(path))
      return [{ field, message: `"${path}" is not a dotted path like spec.title` }];
    const without = models.length > 0 && !models.some(({ schema }) => hasField(schema, path.split('.')));
    return without ? [{ field, message: `no model of the rule has the field ${path}` }] : [];
  });
}

/** False for a field that a schema certainly does not have. */
function hasField(schema: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined || !isRecord(schema)) return true;
  const { properties, items, additionalProperties } = schema;
  if (isRecord(items)) return hasField(items, [step, ...rest]);
  const below = isRecord(properties) ? properties[step] : undefined;
  if (below !== undefined) return hasField(below, rest);
  // Schemas of models state the metadata only in part.
  const isOpen =
    !isRecord(properties) || step === 'metadata' || 'x-kubernetes-preserve-unknown-fields' in schema;
  return isOpen || isRecord(additionalProperties) || additionalProperties === true || 'allOf' in schema;
}

function covers({ apiGroups = [], resources = [] }: AccessRule, { group, plural }: Resource): boolean {
  const plurals = resources.map((resource) => resource.split('/')[0]);
  return (
    (apiGroups.includes('*') || apiGroups.includes(group)) &&
    (plurals.includes('*') || plurals.includes(plural))
  );
}
