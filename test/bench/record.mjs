/**
 * Writes docs/benchmarks.md: runs each command that a comment `<!-- run: COMMAND -->` names, and puts what it prints into
 * the block below. Nothing else should run meanwhile. Needs `npm run build`.
 * Usage: node test/bench/record.mjs [part of a command]
 */
import { execSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

const FILE = new URL('../../docs/benchmarks.md', import.meta.url);
const ROOT = new URL('../../', import.meta.url).pathname;
const BLOCK = /(<!-- run: (.+?) -->\n\n```text\n)[\s\S]*?(^```$)/gm;
const MACHINE = /(<!-- machine -->\n\n)[\s\S]*?(?=\n\n)/;

const part = process.argv[2] ?? '';
const [{ model }] = cpus();
const machine = `Measured with Node ${process.versions.node} on ${cpus().length} cores (${model.trim()}), ${Math.round(totalmem() / 1024 ** 3)} GiB.`;
const day = `recorded on ${new Date().toISOString().slice(0, 10)}`;

const commands = [...readFileSync(FILE, 'utf8').matchAll(BLOCK)].map(([, , command]) => command);
for (const command of commands.filter((one) => one.includes(part))) {
  console.log(command);
  const output = outputOf(command);
  // Read again each time: a run takes minutes, and each may be the last.
  const text = readFileSync(FILE, 'utf8').replace(BLOCK, (block, head, known, end) =>
    known === command ? `${head}${output.trimEnd()}\n${day}\n${end}` : block,
  );
  writeFileSync(FILE, text.replace(MACHINE, `$1${machine}`));
}

/** A benchmark that misses an objective has printed its figures all the same. */
function outputOf(command) {
  const options = { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  try {
    return execSync(command, options);
  } catch (error) {
    if (error.status === 1 && error.stdout !== '') return error.stdout;
    throw error;
  }
}
