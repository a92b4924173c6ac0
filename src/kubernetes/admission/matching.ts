import { isEmptySelector, matchesLabels } from '../../model/label-selector.js';
import { isNamespaced } from '../../model/full-name.js';
import { isRecord } from '../../lib/json/json.js';
import type { Resource } from '../../model/resource.js';
import type { ReviewedObject } from '../../service/write/review/reviewers.js';
import type { Attributes } from './attributes.js';
import type { MatchSettings, OperationRule } from './configuration.js';

/** A write by its kind. */
export interface RuleTarget {
  readonly operations: readonly string[];
  readonly resource: RuleResource;
  readonly subresource: string | undefined;
  /** Undefined: any. */
  readonly name?: string | undefined;
  /** All served versions of the resource. */
  readonly findVersions: () => readonly Resource[];
}

export type RuleResource = Pick<Resource, 'group' | 'version' | 'plural' | 'scope'>;

/**
 * The resource in the version that a rule names; undefined when no rule is about the write.
 * @param matchPolicy `Equivalent`: a rule about one version is about all
 */
export function findRuled(
  rules: readonly OperationRule[],
  { operations, resource, subresource, name, findVersions }: RuleTarget,
  matchPolicy: string | undefined,
): RuleResource | undefined {
  const some = rules.filter(
    (rule) =>
      operations.some((operation) => names(rule.operations, operation)) &&
      isInScope(rule, resource) &&
      isOfName(rule, name),
  );
  if (some.length === 0) return undefined;
  const isNamed = (one: RuleResource): boolean => some.some((rule) => namesResource(rule, one, subresource));
  if (isNamed(resource)) return resource;
  return matchPolicy === 'Exact' ? undefined : findVersions().find(isNamed);
}

function names(listed: readonly string[] = [], name: string): boolean {
  return listed.includes('*') || listed.includes(name);
}

function isOfName({ resourceNames = [] }: OperationRule, name: string | undefined): boolean {
  return name === undefined || resourceNames.length === 0 || resourceNames.includes(name);
}

/** The object of a namespace is in none. */
function isInScope({ scope = '*' }: OperationRule, resource: RuleResource): boolean {
  return scope === '*' || scope === (isNamespaced(resource) ? 'Namespaced' : 'Cluster');
}

function namesResource(
  { apiGroups, apiVersions, resources = [] }: OperationRule,
  { group, version, plural }: RuleResource,
  subresource = '',
): boolean {
  return (
    names(apiGroups, group) &&
    names(apiVersions, version) &&
    resources.some((one) => {
      const [resource = '', sub = ''] = one.split('/');
      return names([resource], plural) && names([sub], subresource);
    })
  );
}

/**
 * True when the selectors match a write.
 * @throws ServiceError `NotFound` without the namespace
 */
export async function isSelected(
  { namespaceSelector, objectSelector }: MatchSettings,
  attributes: Attributes,
): Promise<boolean> {
  const { object, oldObject } = attributes;
  if (!isEmptySelector(objectSelector)) {
    const isMatch = [object, oldObject].some(
      (one) => one !== undefined && matchesLabels(objectSelector, labelsOf(one)),
    );
    if (!isMatch) return false;
  }
  if (isEmptySelector(namespaceSelector)) return true;
  const namespace = await attributes.findNamespace();
  return namespace === undefined || matchesLabels(namespaceSelector, labelsOf(namespace));
}

export function labelsOf({ metadata }: ReviewedObject): Readonly<Record<string, unknown>> {
  return isRecord(metadata) && isRecord(metadata.labels) ? metadata.labels : {};
}
