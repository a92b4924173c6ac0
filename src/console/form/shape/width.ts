import type { ScalarShape, Shape } from './shape.js';

/** The longest text with space for two side by side. */
const HALF_MAX = 80;
/** The formats of long texts on one line. */
const LONG_FORMATS: readonly unknown[] = ['uri', 'url', 'uri-reference', 'iri'];
const LONG_WIDGETS: readonly unknown[] = ['markdown', 'multiline', 'code', 'image'];

/** True when two fields of a shape fit side by side. */
export function isHalf(shape: Shape): boolean {
  return shape.shape === 'scalar' && (shape.kind !== 'text' || isShort(shape));
}

function isShort({ choices, target, widget, schema }: ScalarShape): boolean {
  if (choices !== undefined || target !== undefined) return true;
  const { maxLength, format } = schema;
  if (LONG_WIDGETS.includes(widget) || LONG_FORMATS.includes(format)) return false;
  return typeof maxLength !== 'number' || maxLength <= HALF_MAX;
}
