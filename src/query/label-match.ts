import type { Condition } from './condition.js';

/**
 * True when labels meet the condition of a label selector.
 * @throws RangeError for a condition on fields
 */
export function matchesLabels(condition: Condition, labels: Readonly<Record<string, string>>): boolean {
  switch (condition.op) {
    case 'all':
      return true;
    case 'and':
      return condition.of.every((part) => matchesLabels(part, labels));
    case 'or':
      return condition.of.some((part) => matchesLabels(part, labels));
    case 'not':
      return !matchesLabels(condition.of, labels);
    case 'labelExists':
      return Object.hasOwn(labels, condition.key);
    case 'labelIn': {
      const value = Object.hasOwn(labels, condition.key) ? labels[condition.key] : undefined;
      return value !== undefined && condition.values.includes(value);
    }
    default:
      throw new RangeError(`${condition.op} is not a condition on labels`);
  }
}
