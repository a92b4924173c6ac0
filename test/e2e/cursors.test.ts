import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { openWriter } from '../../src/daemon/offline/plugin-store.js';
import { readConfig } from '../../src/config.js';
import { SILENT } from '../../src/lib/log/logger.js';
import type { Verbs } from '../../src/service/verbs.js';
import { EXAMPLE_PLUGINS } from '../helpers/daemon.js';
import { PERSON_REF, person } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  removeDirectories();
});

const PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');
const KEPT = 1_500;

interface Churn {
  /** True when it has written so much that it must have met a walk. */
  isBusy(): boolean;
  /** Ends it. Resolves with its output. */
  stop(): Promise<string>;
}

async function startChurn(dataDir: string, seed: number): Promise<Churn> {
  const script = new URL('../helpers/churn.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, dataDir, PLUGIN, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let output = '';
  child.stdout.on('data', (part) => (output += String(part)));
  await once(child.stdout, 'data');
  return {
    isBusy: () => output.includes('busy'),
    async stop() {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
      return output;
    },
  };
}

async function walk(verbs: Verbs, sort: string, limit: number): Promise<string[]> {
  const names: string[] = [];
  let token: string | undefined;
  do {
    const part = await verbs.list(PERSON_REF, { sort, limit, ...(token && { continue: token }) });
    names.push(...part.items.map((item) => item.metadata.name));
    token = part.metadata.continue;
  } while (token !== undefined);
  return names;
}

it('a walk with cursors skips and repeats nothing while two other processes write', async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const config = readConfig({ flags: { dataDir, plugins: [PLUGIN] }, env: {}, cwd: '/' });
  const verbs = await openWriter(config, SILENT);
  const kept = Array.from({ length: KEPT }, (_, i) => `keep-${String(i).padStart(5, '0')}`);
  await verbs.batch(
    kept.map((name, i) => ({ verb: 'create', resource: PERSON_REF, object: person(name, { age: i % 100 }) })),
  );
  const byAge = kept.toSorted(
    (a, b) => (Number(a.slice(5)) % 100) - (Number(b.slice(5)) % 100) || (a < b ? -1 : 1),
  );

  const churns = await Promise.all([startChurn(dataDir, 11), startChurn(dataDir, 23)]);
  // On a slow disk some rounds are over before much was written.
  for (let round = 0; round < 6 || !churns.every((churn) => churn.isBusy()); round++) {
    // The output of the other processes is only read between walks.
    await nextTurn();
    const limit = 7 + 30 * (round % 6);
    const found = await walk(verbs, round % 2 === 0 ? 'spec.age,asc' : 'metadata.name,desc', limit);
    const ofKept = found.filter((name) => name.startsWith('keep-'));
    expect(ofKept).toEqual(round % 2 === 0 ? byAge : kept.toReversed());
    expect(new Set(found.filter((name) => name.startsWith('churn-'))).size).toBeGreaterThan(0);
  }
  const outputs = await Promise.all(churns.map((churn) => churn.stop()));
  for (const output of outputs) expect(Number(/wrote (\d+)/.exec(output)?.[1])).toBeGreaterThan(20);
  await verbs.close();
});
