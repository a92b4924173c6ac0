import type { Period } from '../../routes/period.js';

export interface LogLine {
  /** Unique, and in order. */
  readonly id: number;
  /** RFC 3339; empty for a line without one. */
  readonly time: string;
  readonly level: string;
  readonly text: string;
}

/** The lines of a period; all of them without one. */
export function linesOf(lines: readonly LogLine[], period: Period | undefined): readonly LogLine[] {
  if (period === undefined) return lines;
  return lines.filter(({ time }) => {
    const timeMs = Date.parse(time);
    return timeMs >= period.fromMs && timeMs <= period.toMs;
  });
}
