import path from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { putFiles } from '../../helpers/cli.js';
import { EXAMPLE_PLUGINS, childrenOf, killDaemons, startDaemonProcess } from '../../helpers/daemon.js';
import { PERSONS, person } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const SLOW_MS = 1_500;
const MANIFEST = `apiVersion: plugin.platform.run/v1alpha1
kind: Plugin
metadata: { name: slow }
spec: { version: 1.0.0 }
`;
const MAIN = `import { BasePlugin } from 'xsvc';
export default class extends BasePlugin { start() { return new Promise((go) => setTimeout(go, ${SLOW_MS})); } }`;

async function slowPlugin(): Promise<string> {
  const directory = temporaryDirectory();
  await putFiles(directory, { 'plugin.yaml': MANIFEST, 'index.js': MAIN });
  return directory;
}

it('no request meets a worker whose plugins are starting when it takes the place of one that was killed', async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const plugins = [path.join(EXAMPLE_PLUGINS, 'person'), await slowPlugin()];
  const daemon = await startDaemonProcess({ dataDir, plugins, flags: ['--workers', '2'] });
  const codes = new Map<string, number>();
  const count = (what: string): void => void codes.set(what, (codes.get(what) ?? 0) + 1);
  const run = { isOver: false };
  // Connections of their own, which go to all workers; those that the kill cuts are excused.
  const ask = async (what: string, target: string, request: Omit<RequestInit, 'headers'>): Promise<void> => {
    const headers = { 'Content-Type': 'application/json', Connection: 'close' };
    const answer = await fetch(`${daemon.url}${target}`, { ...request, headers }).catch(() => undefined);
    count(answer === undefined ? 'cut' : `${what} ${answer.status}`);
    await answer?.text();
  };
  const posts = async (sender: number): Promise<void> => {
    for (let i = 0; !run.isOver; i++) {
      const body = JSON.stringify(person(`p-${sender}-${i}`));
      await ask('POST', PERSONS, { method: 'POST', body });
    }
  };
  const looks = async (): Promise<void> => {
    while (!run.isOver) await ask('readyz', '/readyz', {});
  };
  const senders = [posts(1), posts(2), looks()];
  const again = (): number => daemon.output.stderr.match(/is serving again/g)?.length ?? 0;
  for (let round = 1; round <= 2; round++) {
    const [first = 0] = childrenOf(daemon.pid);
    process.kill(first, 'SIGKILL');
    await expect.poll(again).toBe(round);
  }
  run.isOver = true;
  await Promise.all(senders);
  expect([...codes.keys()].filter((what) => what !== 'cut').sort()).toEqual(['POST 201', 'readyz 200']);
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
});
