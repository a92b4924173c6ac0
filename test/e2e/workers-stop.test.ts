import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { putFiles } from '../helpers/cli.js';
import { childrenOf, killDaemons, spawnDaemon } from '../helpers/daemon.js';
import { stopWorkers, type Receiver, type StartingWorkers } from '../helpers/stopping.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const RECEIVERS: readonly Receiver[] = ['parent', 'group'];

async function forked({ pid }: StartingWorkers, count: number): Promise<void> {
  await expect.poll(() => childrenOf(pid).length, { interval: 5 }).toBe(count);
}

describe.each(RECEIVERS)('SIGTERM to the %s of workers', (receiver) => {
  it('ends all of them in order while the first one boots', async () => {
    const { exit, stderr } = await stopWorkers((workers) => forked(workers, 1), receiver);
    expect([exit, stderr]).toEqual([{ code: 0, signal: null }, expect.stringContaining('stopping')]);
  });

  it('ends all of them in order while the second one boots', async () => {
    const { exit } = await stopWorkers((workers) => forked(workers, 2), receiver);
    expect(exit).toEqual({ code: 0, signal: null });
  });
});

/** Its start takes long enough for a signal to come meanwhile. */
const SLOW = {
  'plugin.yaml':
    'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: slow }\nspec: { version: 1.0.0 }\n',
  'index.js': `
    import { setTimeout as sleep } from 'node:timers/promises';
    import { BasePlugin } from 'xsvc';
    export default class extends BasePlugin {
      async start() {
        this.ctx.logger.info('is slow');
        await sleep(1_000);
      }
    }`,
};

it('only the first worker listens before its plugins have started, and all end when the first process is killed', async () => {
  const plugin = temporaryDirectory();
  await putFiles(plugin, SLOW);
  const { child, output, exited } = spawnDaemon({
    dataDir: path.join(temporaryDirectory(), 'data'),
    plugins: [plugin],
    flags: ['--workers', '2'],
    ownGroup: true,
  });
  const pid = child.pid ?? 0;
  await expect.poll(() => output.stderr.split('is slow').length - 1, { interval: 10 }).toBe(2);
  expect(listeningIn(output.stderr)).toEqual([1]);
  child.kill('SIGKILL');
  try {
    // Its output is closed when the last process is gone.
    let isOver = false;
    void exited.then(() => (isOver = true));
    await expect.poll(() => isOver).toBe(true);
  } finally {
    killGroup(pid);
  }
});

/** The workers that have said that they answer. */
function listeningIn(log: string): unknown[] {
  const lines = log.split('\n').filter((line) => line.includes('HTTP answers'));
  return lines.map((line) => (JSON.parse(line) as { readonly worker?: unknown }).worker);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // None of it is left.
  }
}
