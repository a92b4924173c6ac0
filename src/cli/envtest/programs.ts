import { chmod, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDirectories } from '../../lib/make-directories.js';
import { getMessage } from '../../errors.js';
import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';
import { APISERVER_FLAGS } from './kube-apiserver.js';
import { ETCD_FLAGS } from './etcd.js';
import { PROGRAMS, type ProgramName } from './program-names.js';
import { programHelp, type KnownFlags } from './program-flags.js';

export const FLAGS_OF: Readonly<Record<ProgramName, KnownFlags>> = {
  etcd: ETCD_FLAGS,
  'kube-apiserver': APISERVER_FLAGS,
};

const PROGRAM = fileURLToPath(new URL('../../../bin/xsvc.js', import.meta.url));
/** In each launcher, to recognize it. */
const MARK = '# Written by xsvc envtest --assets.';

/**
 * Writes launchers of the programs into a directory, and a link to kubectl when there is one.
 * @param flags of the command, for the programs
 * @throws UsageError when the directory cannot be written, or has other programs of these names
 */
export async function writePrograms(directory: string, flags: readonly string[], io: CliIo): Promise<void> {
  const target = path.resolve(io.cwd, directory);
  try {
    await makeDirectories(target);
    for (const name of PROGRAMS) await refuseOthers(path.join(target, name));
    for (const name of PROGRAMS) await writeLauncher(path.join(target, name), name, flags);
    await linkKubectl(path.join(target, 'kubectl'), io);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--assets: cannot write to ${directory}: ${getMessage(error)}`);
  }
}

async function refuseOthers(file: string): Promise<void> {
  const text = await readFile(file, 'latin1').catch(() => undefined);
  if (text !== undefined && !text.includes(MARK))
    throw new UsageError(`--assets: ${file} is another program; name another directory, or remove it`);
}

async function writeLauncher(file: string, name: ProgramName, flags: readonly string[]): Promise<void> {
  const command = ['envtest', ...flags, '--as', name].join(' ');
  const text = [
    '#!/bin/sh',
    MARK,
    `if [ "$1" = --help ]; then cat <<'END'`,
    `${programHelp(FLAGS_OF[name])}END`,
    'exit; fi',
    `exec ${quoted(process.execPath)} ${quoted(PROGRAM)} ${command} -- "$@"`,
    '',
  ];
  await writeFile(file, text.join('\n'));
  await chmod(file, 0o755);
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

async function linkKubectl(file: string, { env, stderr }: CliIo): Promise<void> {
  const found = findProgram('kubectl', env.PATH ?? '', path.dirname(file));
  if (found === undefined) {
    stderr.line('kubectl is not in PATH; only tests that run it need it');
    return;
  }
  await rm(file, { force: true });
  await symlink(found, file);
}

function findProgram(name: string, places: string, except: string): string | undefined {
  const candidates = places
    .split(path.delimiter)
    .filter((place) => place !== '' && path.resolve(place) !== except);
  return candidates.map((place) => path.resolve(place, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
