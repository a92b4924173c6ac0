import path from 'node:path';
import { expect } from 'vitest';
import { EXAMPLE_PLUGINS, childrenOf, freePort, spawnDaemon, type Exit } from './daemon.js';
import { temporaryDirectory } from './store.js';

/** A service with two workers that is starting. */
export interface StartingWorkers {
  readonly pid: number;
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** True when the program itself runs: before that, the system ends the process at once, without an orderly stop. */
  readonly hasBegun: boolean;
}

export type Receiver = 'parent' | 'group';

const END_MS = 60_000;

/** Starts a service with two workers, sends SIGTERM when it is time, and looks at how it ends and at what is left. */
export async function stopWorkers(
  until: (workers: StartingWorkers) => Promise<void>,
  receiver: Receiver,
): Promise<{ readonly exit: Exit; readonly hadBegun: boolean; readonly stderr: string }> {
  const port = await freePort();
  const { child, output, exited } = spawnDaemon({
    dataDir: path.join(temporaryDirectory(), 'data'),
    plugins: [path.join(EXAMPLE_PLUGINS, 'person')],
    port,
    flags: ['--workers', '2'],
    ownGroup: true,
  });
  const pid = child.pid ?? 0;
  const workers = {
    pid,
    output,
    get hasBegun() {
      return output.stderr !== '' || childrenOf(pid).length > 0;
    },
  };
  await until(workers);
  const hadBegun = workers.hasBegun;
  process.kill(receiver === 'parent' ? pid : -pid, 'SIGTERM');
  const late = setTimeout(() => process.kill(-pid, 'SIGKILL'), END_MS);
  const exit = await exited;
  clearTimeout(late);
  // A process that ended stays in the group until the system takes it away.
  await expect.poll(() => isAlive(-pid), { timeout: 10_000 }).toBe(false);
  await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
  return { exit, hadBegun, stderr: output.stderr };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
