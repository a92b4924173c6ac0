import { formatFixed } from '../../../lib/format.js';

/** Undefined for anything but a number with few decimals. More come from the arithmetic of computers, and stay as they are. */
function countDecimals(value: unknown): number | undefined {
  const [, decimals] = /^-?\d+\.?(\d{0,6})$/.exec(String(value)) ?? [];
  return typeof value === 'number' ? decimals?.length : undefined;
}

/** The most decimals of any number, so that all can have equally many. */
export function getDecimals(values: readonly unknown[]): number {
  return Math.max(0, ...values.map((value) => countDecimals(value) ?? 0));
}

export function formatDecimal(value: number, decimals: number | undefined): string {
  const isPlain = decimals === undefined || countDecimals(value) === undefined;
  return isPlain ? String(value) : formatFixed(value, decimals);
}
