import { isRecord } from '../lib/json/json.js';

type Labels = Readonly<Record<string, unknown>>;

/** True when labels match a selector of Kubernetes, with `matchLabels` and `matchExpressions`. An empty one matches all. */
export function matchesLabels(selector: unknown, labels: Labels): boolean {
  if (!isRecord(selector)) return false;
  return (
    Object.entries(labelsIn(selector)).every(([key, value]) => labelOf(labels, key) === value) &&
    expressionsIn(selector).every((expression) => isRecord(expression) && meets(expression, labels))
  );
}

/** True for a selector without conditions. */
export function isEmptySelector(selector: unknown): boolean {
  if (!isRecord(selector)) return true;
  return Object.keys(labelsIn(selector)).length === 0 && expressionsIn(selector).length === 0;
}

function labelsIn({ matchLabels }: Readonly<Record<string, unknown>>): Labels {
  return isRecord(matchLabels) ? matchLabels : {};
}

function expressionsIn({ matchExpressions }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(matchExpressions) ? matchExpressions : [];
}

function meets({ key, operator, values }: Readonly<Record<string, unknown>>, labels: Labels): boolean {
  const value = typeof key === 'string' ? labelOf(labels, key) : undefined;
  const isListed = Array.isArray(values) && value !== undefined && values.includes(value);
  switch (operator) {
    case 'In':
      return isListed;
    case 'NotIn':
      return !isListed;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

function labelOf(labels: Labels, key: string): unknown {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
