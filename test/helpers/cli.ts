import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../src/cli/program.js';
import { testIo } from '../cli/helpers.js';

export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CliWorld {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Runs one command line in this process. */
export async function runCli(argv: readonly string[], { cwd, env, stdin }: CliWorld): Promise<CliResult> {
  const input = stdin === undefined ? {} : { stdin: once(stdin) };
  const io = testIo({ cwd, ...(env === undefined ? {} : { env }), ...input });
  const code = await run(argv, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}

/** Writes files by their paths below a directory. */
export async function putFiles(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(directory, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Puts placeholders where two runs of the same commands differ: ages, instants, ids, revisions. */
export function withoutVolatile(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replace(/("?resourceVersion"?: )["']?\d+["']?/g, '$1REVISION')
    .replace(/\b\d+(?:s|m(?:\d+s)?) {3,}/g, 'AGE   ')
    .replace(/\bAGE {4,}/g, 'AGE   ')
    .replace(/\b\d+(?:s|m(?:\d+s)?)(?=\n|$| ago\))/g, 'AGE');
}
