import { fail } from '../failure.js';
import { fn, INT, method, scalarKind, STRING, type Overload } from '../overload.js';
import { INT_MAX, INT_MIN, CelScalar } from '../scalars.js';
import * as types from '../types.js';

/** An amount as Kubernetes writes it: `1.5Gi`, `200m`, `1e3`. */
class Quantity extends CelScalar {
  readonly kind = 'quantity';

  constructor(readonly nanos: bigint) {
    super();
  }

  toString(): string {
    return String(this.nanos);
  }
}

const ONE = 1_000_000_000n;
const FORM = /^([+-]?)(\d{1,40})?(?:\.(\d{0,40}))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,2})?$/;
const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Fractions of a billionth are rounded away from zero. Undefined for a text that is not a quantity. */
function read(text: string): Quantity | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(whole + fraction) * ONE * 1024n ** BigInt(BINARY.indexOf(suffix) + 1);
  const exponent = getExponent(suffix) - fraction.length;
  const scale = 10n ** BigInt(Math.abs(exponent));
  const size = exponent >= 0 ? digits * scale : (digits + scale - 1n) / scale;
  return new Quantity(sign === '-' ? -size : size);
}

function getExponent(suffix: string): number {
  return suffix.length > 1 && /^[eE]/.test(suffix) && !suffix.endsWith('i')
    ? Number(suffix.slice(1))
    : (DECIMAL[suffix] ?? 0);
}

function isInteger({ nanos }: Quantity): boolean {
  return nanos % ONE === 0n && nanos / ONE >= INT_MIN && nanos / ONE <= INT_MAX;
}

const QUANTITY_TYPE = { kind: 'quantity' } as const;
const QUANTITY = scalarKind(QUANTITY_TYPE, Quantity);

/** Functions of quantities, as in Kubernetes. */
export const QUANTITIES: readonly Overload[] = [
  fn('quantity', [STRING], QUANTITY_TYPE, ([text]) => read(text) ?? fail('the text is not a quantity')),
  fn('isQuantity', [STRING], types.BOOL, ([text]) => read(text) !== undefined),
  method('sign', [QUANTITY], types.INT, ([{ nanos }]) => (nanos > 0n ? 1n : nanos < 0n ? -1n : 0n)),
  method('isInteger', [QUANTITY], types.BOOL, ([quantity]) => isInteger(quantity)),
  method('asInteger', [QUANTITY], types.INT, ([quantity]) =>
    isInteger(quantity) ? quantity.nanos / ONE : fail('the quantity is not a 64-bit integer'),
  ),
  method('asApproximateFloat', [QUANTITY], types.DOUBLE, ([{ nanos }]) => Number(nanos) / Number(ONE)),
  method('add', [QUANTITY, QUANTITY], QUANTITY_TYPE, ([a, b]) => new Quantity(a.nanos + b.nanos)),
  method('add', [QUANTITY, INT], QUANTITY_TYPE, ([a, b]) => new Quantity(a.nanos + b * ONE)),
  method('sub', [QUANTITY, QUANTITY], QUANTITY_TYPE, ([a, b]) => new Quantity(a.nanos - b.nanos)),
  method('sub', [QUANTITY, INT], QUANTITY_TYPE, ([a, b]) => new Quantity(a.nanos - b * ONE)),
  method('isLessThan', [QUANTITY, QUANTITY], types.BOOL, ([a, b]) => a.nanos < b.nanos),
  method('isGreaterThan', [QUANTITY, QUANTITY], types.BOOL, ([a, b]) => a.nanos > b.nanos),
  method('compareTo', [QUANTITY, QUANTITY], types.INT, ([a, b]) =>
    a.nanos < b.nanos ? -1n : a.nanos > b.nanos ? 1n : 0n,
  ),
];
