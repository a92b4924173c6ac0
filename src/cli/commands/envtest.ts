import { EXIT, UsageError } from '../exit.js';
import { command } from '../command.js';
import { choice, integer, negated, text, texts, type CommandFlags } from '../flags.js';
import type { CliIo } from '../io.js';
import { openCommandLog } from '../session.js';
import { PROGRAMS, type ProgramName } from '../envtest/program-names.js';
import { stopped } from '../envtest/stopped.js';
import type { Logger } from '../../lib/log/logger.js';

const FLAGS = {
  crds: texts('<path>', 'file or directory with definitions that exist from the start (repeatable)'),
  port: integer('port to listen on (default: a free one)', 0),
  serviceUrl: texts(
    '<address>',
    'where the webhooks of a service are: NAMESPACE/NAME=https://HOST:PORT (repeatable)',
  ),
  garbageCollection: negated('keep objects whose owners are deleted, as envtest does'),
  assets: text('<dir>', 'write programs for KUBEBUILDER_ASSETS there instead, and end'),
  as: {
    ...choice('<program>', 'be a program of --assets, with its flags after --', PROGRAMS),
    isHidden: true,
  },
};
type Flags = CommandFlags<typeof FLAGS>;

const WITHOUT_COLLECTION = '--no-garbage-collection';

export const define = command({
  args: { '[command...]': 'a command with its arguments, after --' },
  flags: FLAGS,
  notes: [
    'The control plane keeps all objects in memory and listens on 127.0.0.1. The command finds it by KUBECONFIG; with',
    'USE_EXISTING_CLUSTER=true, tests that use envtest of controller-runtime do so too. The exit code is that of the command.',
    'Without a command, the path of the kubeconfig is printed, and the control plane runs until it is stopped (Ctrl-C).',
    'With --assets, the directory gets an etcd and a kube-apiserver that envtest starts like the real ones.',
  ],
  examples: [
    'xsvc envtest --crds config/crd/bases -- go test ./...',
    'xsvc envtest --crds config/crd/bases -- pytest',
    'xsvc envtest',
    'xsvc envtest --assets bin/assets && KUBEBUILDER_ASSETS="$PWD/bin/assets" go test ./...',
  ],
  run: envtest,
});

async function envtest(flags: Flags, io: CliIo, words: readonly string[]): Promise<number> {
  if (flags.server !== undefined)
    throw new UsageError('envtest starts the server itself, so it takes no --server');
  if (flags.assets !== undefined) {
    const { writePrograms } = await import('../envtest/programs.js');
    await writePrograms(flags.assets, flags.garbageCollection ? [] : [WITHOUT_COLLECTION], io);
    return EXIT.done;
  }
  if (flags.as !== undefined) return beProgram(flags.as, flags, io, words);
  const { serveControlPlane } = await import('../../testing/control-plane/control-plane.js');
  const logger = await openQuietLog(flags, io);
  const { crds = [], port = 0, serviceUrl = [], garbageCollection } = flags;
  const plane = await serveControlPlane(
    { crds, port, garbageCollection },
    { logger, settings: { serviceUrl } },
  );
  try {
    if (words.length === 0) return await stay(plane.kubeconfigPath, io);
    const { runCommand } = await import('../envtest/run-command.js');
    const found = { KUBECONFIG: plane.kubeconfigPath, USE_EXISTING_CLUSTER: 'true' };
    return await runCommand(words, found, io);
  } finally {
    await plane.stop();
  }
}

async function beProgram(
  name: ProgramName,
  flags: Flags,
  io: CliIo,
  words: readonly string[],
): Promise<number> {
  const stop = io.stopSignal();
  const { FLAGS_OF } = await import('../envtest/programs.js');
  const { readProgramFlags } = await import('../envtest/program-flags.js');
  const read = readProgramFlags(words, FLAGS_OF[name], (one) =>
    io.stderr.line(`${name}: the flag --${one} has no meaning here`),
  );
  if (name === 'etcd') return (await import('../envtest/etcd.js')).runEtcd(read, stop);
  const { runKubeApiserver } = await import('../envtest/kube-apiserver.js');
  const { garbageCollection } = flags;
  return runKubeApiserver(read, { logger: await openQuietLog(flags, io), stop, garbageCollection });
}

/** A reset and an orderly stop make warnings, which are no news here. */
async function openQuietLog(flags: Flags, io: CliIo): Promise<Logger> {
  const log = await openCommandLog(flags, io);
  return flags.verbose === true ? log : { ...log, warn: () => undefined };
}

/** Prints the path, and waits until the process is asked to stop. */
async function stay(kubeconfigPath: string, io: CliIo): Promise<number> {
  const stop = io.stopSignal();
  io.stdout.write(`${kubeconfigPath}\n`);
  await stopped(stop);
  return EXIT.done;
}
