/**
 * Runs the tests of this repository that use clients of other projects, after `npm run build`: `node clients.mjs`. Their
 * numbers go to `test/kubernetes/suites/clients.json`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = new URL('../../../..', import.meta.url).pathname;
const RUNS = [
  ['vitest.clients.config.ts', 'test/clients'],
  ['vitest.storm.config.ts', 'test/storm/e2e/kubectl.test.ts'],
];

function resultsOf([config, files]) {
  const report = path.join(mkdtempSync(path.join(tmpdir(), 'clients-')), 'report.json');
  const args = ['vitest', 'run', '--config', config, '--reporter=json', `--outputFile=${report}`, files];
  spawnSync('npx', args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, TEST_BUILT: 'yes' } });
  return JSON.parse(readFileSync(report, 'utf8')).testResults;
}

/** A row for each title of a file. Tests that are left out have no number. */
function rowsOf({ name, assertionResults }) {
  const file = path.relative(ROOT, name);
  const titles = [...new Set(assertionResults.map(({ ancestorTitles: [title] }) => title))];
  return titles.map((title) => {
    const tests = assertionResults.filter(({ ancestorTitles }) => ancestorTitles[0] === title);
    const count = (status) => tests.filter((test) => test.status === status).length;
    const [passed, failed] = [count('passed'), count('failed')];
    if (passed + failed < tests.length) throw new Error(`${file}: tests are left out below "${title}"`);
    return { file, title, passed, failed };
  });
}

const rows = RUNS.flatMap(resultsOf).flatMap(rowsOf);
rows.sort((a, b) => a.file.localeCompare(b.file));
writeFileSync(new URL('../../suites/clients.json', import.meta.url), `${JSON.stringify(rows, null, 2)}\n`);
