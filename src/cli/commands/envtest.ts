import { EXIT, UsageError } from '../exit.js';
import { command } from '../command.js';
import { integer, texts, type CommandFlags } from '../flags.js';
import type { CliIo } from '../io.js';
import { openCommandLog } from '../session.js';

const FLAGS = {
  crds: texts('<path>', 'file or directory with definitions that exist from the start (repeatable)'),
  port: integer('port to listen on (default: a free one)', 0),
};
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: { '[command...]': 'a command with its arguments, after --' },
  flags: FLAGS,
  notes: [
    'The control plane keeps all objects in memory and listens on 127.0.0.1. The command finds it by KUBECONFIG; with',
    'USE_EXISTING_CLUSTER=true, tests that use envtest of controller-runtime do so too. The exit code is that of the command.',
    'Without a command, the path of the kubeconfig is printed, and the control plane runs until it is stopped (Ctrl-C).',
  ],
  examples: [
    'xsvc envtest --crds config/crd/bases -- go test ./...',
    'xsvc envtest --crds config/crd/bases -- pytest',
    'xsvc envtest',
  ],
  run: envtest,
});

async function envtest(flags: Flags, io: CliIo, words: readonly string[]): Promise<number> {
  if (flags.server !== undefined)
    throw new UsageError('envtest starts the server itself, so it takes no --server');
  const { serveControlPlane } = await import('../../testing/control-plane/control-plane.js');
  const log = await openCommandLog(flags, io);
  // A reset and an orderly stop make warnings, which are no news here.
  const logger = flags.verbose === true ? log : { ...log, warn: () => undefined };
  const { crds = [], port = 0 } = flags;
  const plane = await serveControlPlane({ crds, port }, { logger });
  try {
    if (words.length === 0) return await stay(plane.kubeconfigPath, io);
    const { runCommand } = await import('../envtest/run-command.js');
    const found = { KUBECONFIG: plane.kubeconfigPath, USE_EXISTING_CLUSTER: 'true' };
    return await runCommand(words, found, io);
  } finally {
    await plane.stop();
  }
}

/** Prints the path, and waits until the process is asked to stop. */
async function stay(kubeconfigPath: string, io: CliIo): Promise<number> {
  const stop = io.stopSignal();
  io.stdout.write(`${kubeconfigPath}\n`);
  if (!stop.aborted)
    await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
  return EXIT.done;
}
