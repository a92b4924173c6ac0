import { FORMAT, otherFormat, type StoreFormat } from '../../store/format.js';
import { COMPRESSION } from './compression.js';
import type { FormatStep } from './step.js';
import { UPDATE_TIMESTAMP } from './update-timestamp.js';

/** All upgrades, each from a format to the next. A new format adds a row, and increases `FORMAT`. */
const STEPS: readonly FormatStep[] = [UPDATE_TIMESTAMP, COMPRESSION];

/**
 * The upgrades that a store needs, in order; the first one may have begun. None for a store of the present format.
 * @throws ServiceError `ServiceUnavailable` for a newer format, and for one that cannot be upgraded
 */
export function stepsFor(format: StoreFormat, program: string | undefined): readonly FormatStep[] {
  const { number = 0, upgrade } = format;
  const begun = upgrade === undefined ? [] : STEPS.filter(({ to }) => to === number);
  const rest = STEPS.filter(({ from }) => from >= number);
  const isKnown = number === FORMAT || rest.some(({ from }) => from === number);
  if (!isKnown || (upgrade !== undefined && begun.length === 0)) throw otherFormat(format, program);
  return [...begun, ...rest];
}
