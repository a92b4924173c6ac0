import type { RequestReport } from '../../client/controllers.js';
import { escapeControls } from './escape.js';

/** What controllers have left to do for an object, a line or two for each. */
export function reportLines(reports: readonly RequestReport[]): string[] {
  return reports.flatMap(({ controller, state, since, attempts, error, nextAttempt }) => {
    const next = nextAttempt === undefined ? '' : `, next attempt at ${nextAttempt}`;
    const head = `${escapeControls(controller)}: ${state} since ${since}, ${attempts} failed attempts${next}`;
    return error === undefined ? [head] : [head, `  last error: ${escapeControls(error)}`];
  });
}

export function indented(lines: readonly string[], by: string): string[] {
  return lines.map((line) => by + line);
}
