import { ALL, type Condition } from './condition.js';
import { FieldScanner } from './field-scanner.js';
import { LabelScanner } from './label-scanner.js';

/**
 * Reads label selectors (the forms of Kubernetes, and `k=(a,b)`). All requirements of all texts must hold.
 * A text without any requirement asks for nothing.
 * @throws ServiceError `BadRequest` with the 1-based position of the fault and what was expected there.
 */
export function parseLabelSelector(texts: readonly string[]): Condition {
  return allOf(texts.flatMap((text) => new LabelScanner(text).requirements()));
}

/**
 * Reads field selectors: `f=v`, `f==v`, `f!=v`, `f=(a,b)`, `f in (a,b)`, `f notin (a,b)`, `f>v`, `f>=v`, `f<v`,
 * `f<=v`, `f`, `!f`. All requirements of all texts must hold. Values stay text until `bind` reads them by the key type of the field's index; whether
 * the fields exist is not known here either.
 * @throws ServiceError `BadRequest` with the 1-based position of the fault and what was expected there.
 */
export function parseFieldSelector(texts: readonly string[]): Condition {
  return allOf(texts.flatMap((text) => new FieldScanner(text).requirements()));
}

function allOf(conditions: readonly Condition[]): Condition {
  const [first, ...rest] = conditions;
  if (first === undefined) return ALL;
  return rest.length === 0 ? first : { op: 'and', of: conditions };
}
