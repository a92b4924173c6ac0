/**
 * Runs public test suites against this service: `node run.mjs [PROJECT | PACKAGE...]`, after `npm run build`, with Go 1.26 or newer.
 * Numbers of the suites go to `test/kubernetes/suites/suites.json`, what the suites print to `suites-PROJECT.log` in the
 * directory for temporary files.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { countsOf, REPORT } from './counts.mjs';
import { SUITES } from './suites.mjs';

const OUTPUT = new URL('../../suites/suites.json', import.meta.url).pathname;
const XSVC = [process.execPath, new URL('../../../../bin/xsvc.js', import.meta.url).pathname, 'envtest'];
const work = mkdtempSync(path.join(tmpdir(), 'suites-'));

/** The programs that a suite starts. @returns their directory */
function assetsOf({ project, flags = [] }) {
  const directory = path.join(work, `assets-${project}`);
  execFileSync(XSVC[0], [...XSVC.slice(1), '--assets', directory, ...flags], { stdio: 'inherit' });
  return directory;
}

/** The published source of a module, in a directory that can be written. */
function sourceOf({ project, module, version }) {
  const answer = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], { cwd: work });
  const directory = path.join(work, project);
  cpSync(JSON.parse(answer).Dir, directory, { recursive: true });
  execFileSync('chmod', ['-R', 'u+w', directory]);
  return directory;
}

/** Runs packages of a suite. @returns the events of `go test -json` */
function runSuite(suite, packages, directory) {
  const { project, runner, crds } = suite;
  const ginkgo = runner === 'ginkgo' ? ['-args', `-ginkgo.json-report=${REPORT}`] : [];
  // Packages run one after another: some listen at the same port.
  const test = ['go', 'test', '-json', '-count=1', '-p=1', '-timeout=30m', ...packages, ...ginkgo];
  const below = crds === undefined ? [] : [...XSVC, '--crds', crds, '--'];
  const log = path.join(tmpdir(), `suites-${project}.log`);
  const output = openSync(log, 'w');
  const [program, ...args] = [...below, ...test];
  const env = { ...process.env, KUBEBUILDER_ASSETS: assetsOf(suite) };
  spawnSync(program, args, { cwd: directory, env, stdio: ['ignore', output, output] });
  const lines = readFileSync(log, 'utf8').split('\n');
  return lines.filter((line) => line.startsWith('{"Time"')).map((line) => JSON.parse(line));
}

function rowsOf(suite, packages) {
  const { project, version, runner } = suite;
  const directory = sourceOf(suite);
  const events = runSuite(suite, packages, directory);
  return packages.map((relative) => {
    const name = fullName(suite, relative);
    const counts = countsOf(name, path.join(directory, relative), events, runner);
    console.log(`${name}: ${counts.passed} passed, ${counts.failed.length} failed`);
    return { project, version, package: name, kind: suite.packages[relative], ...counts };
  });
}

const fullName = ({ module }, relative) => path.posix.join(module, relative);

/** All numbers, in the order of the table. */
function write(rows) {
  const names = SUITES.flatMap((suite) => Object.keys(suite.packages).map((one) => fullName(suite, one)));
  const ordered = names.flatMap((name) => rows.get(name) ?? []);
  writeFileSync(OUTPUT, `${JSON.stringify(ordered, null, 2)}\n`);
}

const [, , ...asked] = process.argv;
const recorded = existsSync(OUTPUT) ? JSON.parse(readFileSync(OUTPUT, 'utf8')) : [];
const rows = new Map(recorded.map((row) => [row.package, row]));
for (const suite of SUITES) {
  const isAsked = (name) => [suite.project, fullName(suite, name)].some((one) => asked.includes(one));
  const packages = Object.keys(suite.packages).filter((name) => asked.length === 0 || isAsked(name));
  if (packages.length === 0) continue;
  for (const row of rowsOf(suite, packages)) rows.set(row.package, row);
  write(rows);
}
rmSync(work, { recursive: true });
