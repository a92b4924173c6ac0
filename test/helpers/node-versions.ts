import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = new URL('../../node_modules/.cache/node', import.meta.url).pathname;
const DOWNLOAD_MS = 300_000;

/** A Node.js that is not the one of the tests. */
export interface OtherNode {
  /** As it was asked for: `22`, `20.19`. */
  readonly range: string;
  /** Its program; undefined when there is none, and then why. */
  readonly program: string | undefined;
  readonly problem: string;
}

/** Takes the newest version of a range from the npm registry, once. */
export async function otherNode(range: string): Promise<OtherNode> {
  const program = path.join(CACHE, range, 'node');
  try {
    if (!existsSync(program)) await install(range, program);
    await run(program, ['--version']);
    return { range, program, problem: '' };
  } catch (error) {
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    return { range, program: undefined, problem: text.trim().split('\n').slice(0, 2).join(' ') };
  }
}

/** The package of this platform holds the program itself: nothing of it runs here, no install script either. */
async function install(range: string, program: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const directory = mkdtempSync(path.join(CACHE, 'new-'));
  try {
    const name = `node-${process.platform === 'darwin' ? 'bin-' : ''}${process.platform}-${process.arch}`;
    const flags = ['--json', '--pack-destination', directory];
    const options = { cwd: directory, timeout: DOWNLOAD_MS, maxBuffer: 2 ** 28 };
    const { stdout } = await run('npm', ['pack', `${name}@${range}`, ...flags], options);
    const [packed] = JSON.parse(stdout) as readonly { readonly filename: string }[];
    const archive = path.join(directory, packed?.filename ?? '');
    await run('tar', ['-xzf', archive, '-C', directory, 'package/bin/node']);
    mkdirSync(path.dirname(program), { recursive: true });
    renameSync(path.join(directory, 'package/bin/node'), program);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
