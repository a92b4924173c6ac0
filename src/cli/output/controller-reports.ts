import type { LeaderReport, Reports, RequestReport } from '../../client/controllers.js';
import { holderText } from '../../cluster/served-models.js';

/** The pending work of controllers for an object, one or two lines each. */
export function reportLines(reports: readonly RequestReport[]): string[] {
  return reports.flatMap(({ controller, state, since, attempts, error, nextAttempt }) => {
    const next = nextAttempt === undefined ? '' : `, next attempt at ${nextAttempt}`;
    const head = `${controller}: ${state} since ${since}, ${attempts} failed attempts${next}`;
    return error === undefined ? [head] : [head, `  last error: ${error}`];
  });
}

export function indented(lines: readonly string[], by: string): string[] {
  return lines.map((line) => by + line);
}

/** The daemon on the store that runs the controllers. */
export function leaderLine({ holder, token, isSelf }: LeaderReport): string {
  if (holder === '') return 'no daemon of the store runs them now';
  const identity = `${holderText(holder)}, token ${token}`;
  return isSelf ? `this daemon runs them: ${identity}` : `another daemon of the store runs them: ${identity}`;
}

/** The reason why an object has no reports; undefined when it has some. */
export function nothingSaid({ leader, items }: Reports<RequestReport>): string | undefined {
  if (items.length > 0) return undefined;
  return leader?.isSelf === false ? leaderLine(leader) : 'no pending work for it';
}
