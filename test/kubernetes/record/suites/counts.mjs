import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The file that Ginkgo writes into the directory of each package. */
export const REPORT = 'ginkgo-report.json';

/** The tests of one package: how many passed, and the names of those that failed. */
export function countsOf(packageName, directory, events, runner) {
  const tests = events.filter((event) => event.Package === packageName && event.Test !== undefined);
  const outcomes =
    runner === 'ginkgo' ? [...ginkgoOutcomes(directory), ...plainOutcomes(tests)] : goOutcomes(tests);
  if (outcomes.length === 0) throw new Error(`${packageName}: no test ran`);
  const named = (outcome) => outcomes.filter((test) => test.outcome === outcome).map(({ name }) => name);
  return { passed: named('pass').length, failed: named('fail').sort() };
}

/** Tests of Go that have no subtests. One that has no end is one that failed. */
function goOutcomes(tests) {
  const names = [...new Set(tests.map(({ Test }) => Test))];
  const ends = new Map(
    tests.filter(({ Action }) => /^(pass|fail|skip)$/.test(Action)).map((end) => [end.Test, end.Action]),
  );
  const isLeaf = (name) => !names.some((other) => other.startsWith(`${name}/`));
  return names.filter(isLeaf).map((name) => ({ name, outcome: ends.get(name) ?? 'fail' }));
}

/** Tests of Go beside the one that runs Ginkgo, which prints how many specs ran. */
function plainOutcomes(tests) {
  const runs = tests.filter(({ Output }) => /Running Suite: /.test(Output ?? '')).map(({ Test }) => Test);
  return goOutcomes(tests).filter(({ name }) => !runs.includes(name));
}

function ginkgoOutcomes(directory) {
  const file = path.join(directory, REPORT);
  if (!existsSync(file)) throw new Error(`Ginkgo wrote no ${file}`);
  return JSON.parse(readFileSync(file, 'utf8')).flatMap(({ SpecReports }) =>
    (SpecReports ?? []).flatMap(specOutcome),
  );
}

const GINKGO_OUTCOMES = { passed: 'pass', skipped: 'skip', pending: 'skip' };

/** Steps before and after a suite are no specs; when one fails, the numbers are worth nothing. */
function specOutcome({ ContainerHierarchyTexts, LeafNodeText, LeafNodeType, State, Failure }) {
  const outcome = GINKGO_OUTCOMES[State] ?? 'fail';
  if (LeafNodeType === 'It')
    return [{ name: [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' '), outcome }];
  if (outcome === 'fail') throw new Error(`${LeafNodeType} failed: ${Failure?.Message}`);
  return [];
}
