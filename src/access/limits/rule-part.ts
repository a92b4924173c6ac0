import { ServiceError } from '../../errors.js';
import { isNamespaced } from '../../model/full-name.js';
import type { Resource } from '../../model/resource.js';
import { allOf, type Condition } from '../../query/condition.js';
import { parseFilter } from '../../query/filter/filter.js';
import { NONE } from '../../query/filter/leaves.js';
import { fieldSetOf, type ScopePart } from '../../service/scope/object-scope.js';
import type { UserWithGroups } from '../policy.js';
import type { AccessRule, RuleFields } from '../rules.js';

/** The part of a model that a rule gives to a member. */
export function partOf(rule: AccessRule, member: UserWithGroups, use: keyof RuleFields): ScopePart {
  const { resourceNames = [], filter, fields, namespace } = rule;
  const named: Condition[] =
    resourceNames.length === 0 ? [] : [{ op: 'in', field: 'metadata.name', values: resourceNames }];
  const placed = (stored: Resource): readonly Condition[] =>
    namespace === undefined ? [] : [conditionOfNamespace(namespace, stored)];
  const known = new WeakMap<Resource, Condition>();
  const read = (stored: Resource): Condition => {
    const filtered = filter === undefined ? [] : [readRuleFilter(filter, member, stored)];
    return allOf([...named, ...placed(stored), ...filtered]);
  };
  const paths = fields?.[use];
  return {
    conditionIn: (stored) => {
      const condition = known.get(stored) ?? read(stored);
      known.set(stored, condition);
      return condition;
    },
    fields: paths && fieldSetOf(paths),
    ...(named.length > 0 && { names: new Set(resourceNames) }),
  };
}

/** A namespace is in itself; other cluster-scoped objects are in none. */
function conditionOfNamespace(namespace: string, resource: Resource): Condition {
  if (isNamespaced(resource)) return { op: 'in', field: 'metadata.namespace', values: [namespace] };
  const { group, plural } = resource;
  if (group !== '' || plural !== 'namespaces') return NONE;
  return { op: 'in', field: 'metadata.name', values: [namespace] };
}

/** A filter that the model cannot answer, because its indexes have changed, gives no objects. */
function readRuleFilter(text: string, member: UserWithGroups, resource: Resource): Condition {
  try {
    return parseRuleFilter(text, member, resource);
  } catch (error) {
    if (error instanceof ServiceError) return NONE;
    throw error;
  }
}

/** @throws ServiceError `BadRequest` for a filter that the indexes of the model cannot answer */
export function parseRuleFilter(
  text: string,
  { user, groups }: UserWithGroups,
  resource: Resource,
): Condition {
  const values = new Map<string, string | readonly string[]>([
    ['user', user],
    ['groups', groups],
  ]);
  return parseFilter({ text, resource, nowMs: undefined, values });
}
