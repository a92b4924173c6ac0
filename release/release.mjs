/**
 * Writes to release/out what is published for the version of package.json: the package, its bill of materials (SBOM), the
 * section of the changelog, and the checksums of these files. Publishes nothing.
 *
 *   npm run release                 # runs npm run ok first
 *   npm run release -- --tested     # for a commit that .ci/run has passed
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { disagreements, sectionOf } from './version.mjs';
import { billOfMaterials } from './sbom.mjs';

const root = path.join(import.meta.dirname, '..');
const out = path.join(import.meta.dirname, 'out');
const FILES_MAX = 400;
const UNPACKED_MAX = 9_000_000;
/** The packages that are part of other files. */
const LICENSES = ['dist/bundle/licenses.txt', 'dist/console/licenses.txt'];

const run = (command, ...args) =>
  execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 << 20,
  });
const show = (command, ...args) =>
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
const text = (file) => readFileSync(path.join(root, file), 'utf8');

try {
  release();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

function release() {
  const { name, version } = JSON.parse(text('package.json'));
  const changes = sectionOf(text('CHANGELOG.md'), version);
  checkSource(version);
  if (!process.argv.includes('--tested')) show('npm', 'run', 'ok');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { filename, entryCount, unpackedSize } = pack();
  if (entryCount > FILES_MAX || unpackedSize > UNPACKED_MAX)
    throw new Error(
      `the package has ${entryCount} files with ${unpackedSize} bytes; at most ${FILES_MAX} files and ${UNPACKED_MAX} bytes`,
    );
  writeJson(`${name}-${version}.sbom.json`, billOfMaterials(run, LICENSES.map(text).join('\n'), name));
  writeFileSync(path.join(out, `CHANGES-${version}.md`), changes);
  const sums = readdirSync(out)
    .sort()
    .map((file) => `${sha256(file)}  ${file}\n`);
  writeFileSync(path.join(out, 'SHA256SUMS'), sums.join(''));
  // The build must not have changed a file of the source.
  checkClean();
  console.log(
    `${filename}: ${entryCount} files, ${unpackedSize} bytes\n${sums.join('')}in ${path.relative(root, out)}`,
  );
}

function checkSource(version) {
  checkClean();
  const wrong = disagreements(version, text);
  if (wrong.length > 0) throw new Error(`package.json has version ${version}, but ${wrong.join('; ')}`);
}

function checkClean() {
  const changed = run('git', 'status', '--porcelain').trimEnd();
  if (changed !== '') throw new Error(`the working tree has changes; commit or remove them:\n${changed}`);
}

/** Builds (`prepack`) and packs. What the build prints goes to stderr, so that stdout is JSON only. */
function pack() {
  const [packed] = JSON.parse(
    run('npm', 'pack', '--json', '--silent', '--foreground-scripts=false', '--pack-destination', out),
  );
  return packed;
}

function writeJson(file, value) {
  writeFileSync(path.join(out, file), `${JSON.stringify(value, undefined, 2)}\n`);
}

function sha256(file) {
  return createHash('sha256')
    .update(readFileSync(path.join(out, file)))
    .digest('hex');
}
