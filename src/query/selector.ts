import { allOf, type Condition } from './condition.js';
import { FieldScanner } from './field-scanner.js';
import { LabelScanner } from './label-scanner.js';

/**
 * Reads label selectors (the Kubernetes forms, and `k=(a,b)`). All requirements of all texts must hold. A text
 * without requirements matches every object.
 * @throws ServiceError `BadRequest` with the 1-based position of the error and the expected token.
 */
export function parseLabelSelector(texts: readonly string[]): Condition {
  return allOf(texts.flatMap((text) => new LabelScanner(text).requirements()));
}

/**
 * Reads field selectors: `f=v`, `f==v`, `f!=v`, `f=(a,b)`, `f in (a,b)`, `f notin (a,b)`, `f>v`, `f>=v`, `f<v`,
 * `f<=v`, `f`, `!f`. All requirements of all texts must hold. Values stay text until `bind` parses them by the key
 * type of the field's index; `bind` also checks that the fields exist.
 * @throws ServiceError `BadRequest` with the 1-based position of the error and the expected token.
 */
export function parseFieldSelector(texts: readonly string[]): Condition {
  return allOf(texts.flatMap((text) => new FieldScanner(text).requirements()));
}
