import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram, startDaemonProcess } from '../helpers/daemon.js';
import { person, PERSONS } from '../helpers/http.js';
import { PLUGIN, startOn } from '../helpers/shared-daemon.js';
import { temporaryDirectory } from '../helpers/store.js';
import { openStream } from '../helpers/watching.js';
import { killedReplicaSuite } from './killed-replica-suite.js';

/** Persons that the plugin declares. */
const DECLARED = 3;

/** The server of the store that daemons share. */
export interface SharedServer {
  /** As messages call it. */
  readonly name: string;
  /** The address of a new store. */
  readonly newStore: () => string;
  /** An address at which nothing answers. */
  readonly nowhere: string;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
}

/** The behaviour of daemons on any store that they share. */
export function sharedStoreSuite({ name, newStore, nowhere, kill, start: startServer }: SharedServer): void {
  describe(`two daemons on one store in ${name}`, () => {
    it('read each commit as soon as the other has answered it', async () => {
      const store = newStore();
      const [a, b] = [await startOn(store), await startOn(store)];
      for (let i = 0; i < 100; i += 1) {
        const [writer, reader] = i % 2 === 0 ? [a, b] : [b, a];
        const made = await writer.send('POST', PERSONS, { body: person(`p${i}`) });
        expect(made.status).toBe(201);
        const read = await reader.get(`${PERSONS}/p${i}`);
        expect(read.status).toBe(200);
        expect(read.json()).toEqual(made.json());
        expect((await reader.get(`${PERSONS}?size=1`)).json()).toMatchObject({ total: DECLARED + i + 1 });
      }
    });

    it('let one of two conflicting updates win', async () => {
      const store = newStore();
      const [a, b] = [await startOn(store), await startOn(store)];
      await a.send('POST', PERSONS, { body: person('ann') });
      for (let round = 0; round < 30; round += 1) {
        const before = (await b.get(`${PERSONS}/ann`)).json();
        const body = {
          ...before,
          metadata: { ...(before.metadata as object), labels: { round: String(round) } },
        };
        const answers = await Promise.all([a, b].map((one) => one.send('PUT', `${PERSONS}/ann`, { body })));
        const statuses = answers.map(({ status }) => status).sort();
        // The same content as what won is no change.
        expect([
          [200, 409],
          [200, 200],
        ]).toContainEqual(statuses);
      }
    });

    it('send changes to watchers on the other, which continue there from their last revision', async () => {
      const store = newStore();
      const [a, b] = [await startOn(store), await startOn(store)];
      const watchA = await openStream(`${a.url}${PERSONS}?watch=1`);
      for (let i = 0; i < 20; i += 1) await b.send('POST', PERSONS, { body: person(`p${i}`) });
      const seen = (await watchA.take(DECLARED + 20)).slice(DECLARED);
      expect(seen.map(({ object }) => object.metadata.name)).toEqual(
        Array.from({ length: 20 }, (_, i) => `p${i}`),
      );
      watchA.destroy();
      const middle = seen[9]?.object.metadata.resourceVersion;
      const watchB = await openStream(`${b.url}${PERSONS}?watch=1&resourceVersion=${middle}`);
      const rest = await watchB.take(10);
      expect(rest.map(({ object }) => object.metadata.name)).toEqual(
        Array.from({ length: 10 }, (_, i) => `p${i + 10}`),
      );
      watchB.destroy();
    });

    it('are not ready while it is away, refuse in words, keep watches open, and go on by themselves', async () => {
      const store = newStore();
      const a = await startOn(store, ['--store-timeout', '1s']);
      await a.send('POST', PERSONS, { body: person('before') });
      const watch = await openStream(`${a.url}${PERSONS}?watch=1`);
      await watch.take(DECLARED + 1);
      await kill();
      await expect.poll(async () => (await a.get('/readyz')).status).toBe(503);
      expect((await a.get('/metrics')).text).toMatch(/^xsvc_shared_log_reachable 0$/m);
      for (const answer of [
        await a.get(`${PERSONS}/before`),
        await a.send('POST', PERSONS, { body: person('x') }),
      ]) {
        expect(answer.status).toBe(503);
        expect(answer.headers['retry-after']).toBeDefined();
        expect(answer.json().message).toContain(`cannot reach ${name}`);
      }
      await startServer();
      await expect.poll(async () => (await a.get('/readyz')).status).toBe(200);
      expect((await a.get('/metrics')).text).toMatch(/^xsvc_shared_log_reachable 1$/m);
      expect((await a.get('/metrics')).text).toMatch(
        /^xsvc_shared_log_appends_total\{outcome="appended"\} [1-9]/m,
      );
      expect((await a.send('POST', PERSONS, { body: person('after') })).status).toBe(201);
      const seen = await watch.take(DECLARED + 2);
      expect(seen.map(({ object }) => object.metadata.name)).toEqual([
        'ada',
        'bert',
        'cleo',
        'before',
        'after',
      ]);
      watch.destroy();
    });

    it('have all of it again when they start with their replica, and with none', async () => {
      const store = newStore();
      const dataDir = temporaryDirectory();
      const a = await startOn(store, [], dataDir);
      for (let i = 0; i < 30; i += 1) await a.send('POST', PERSONS, { body: person(`p${i}`) });
      a.signal('SIGKILL');
      await a.exited;
      const again = await startOn(store, [], dataDir);
      const anew = await startOn(store);
      const lists = [await again.get(`${PERSONS}?size=100`), await anew.get(`${PERSONS}?size=100`)];
      expect(lists[0]?.json()).toMatchObject({ total: DECLARED + 30 });
      expect(lists[1]?.json()).toEqual(lists[0]?.json());
    });
  });

  killedReplicaSuite(name, newStore);

  describe(`the command line and a store in ${name}`, () => {
    it('checks it, makes tokens and backs it up through a daemon, which makes no plan', async () => {
      const daemon = await startOn(newStore());
      const plan = await daemon.send('POST', '/apis/api.platform.run/v1alpha1/modelplans');
      expect([plan.status, plan.json().message]).toEqual([
        405,
        expect.stringContaining('plans are not available on a shared store'),
      ]);
      await daemon.send('POST', PERSONS, { body: person('ann') });
      const checked = await runProgram(['check', '--server', daemon.url]);
      expect(checked).toMatchObject({ code: 0, stdout: '' });
      expect(checked.stderr).toContain('the store is consistent');
      const token = await runProgram(['token', 'create', '--user', 'ann', '--server', daemon.url]);
      expect(token.code).toBe(0);
      const [file, dataDir] = [
        path.join(temporaryDirectory(), 'backup'),
        path.join(temporaryDirectory(), 'data'),
      ];
      expect((await runProgram(['backup', file, '--server', daemon.url])).code).toBe(0);
      expect((await runProgram(['restore', file, '--data-dir', dataDir])).code).toBe(0);
      const restored = await startDaemonProcess({ dataDir, plugins: [PLUGIN] });
      expect((await restored.get(`${PERSONS}/ann`)).json()).toEqual(
        (await daemon.get(`${PERSONS}/ann`)).json(),
      );
      await restored.stop();
      const flags = ['--data-dir', dataDir, '--plugins', PLUGIN];
      expect(await runProgram(['model', 'plan', ...flags])).toMatchObject({ code: 0 });
      expect((await runProgram(['check', '--data-dir', dataDir, '--plugins', PLUGIN])).code).toBe(0);
    });

    it.each([
      [['get', 'person']],
      [['check']],
      [['token', 'create', '--user', 'ann']],
      [['export', 'person']],
      [['plugin', 'list']],
    ])('sends %j to a daemon, and ends with 2 without one', async (args) => {
      const directory = temporaryDirectory();
      const wrapper = ['env', `XSVC_STORE=${newStore()}`, `XSVC_DATA_DIR=${directory}`];
      const { code, stderr } = await runProgram(args, { wrapper });
      expect(stderr).toContain('--server');
      expect(code).toBe(2);
    });

    it('ends with 6 when nothing answers in time', async () => {
      const flags = ['--store', nowhere, '--store-timeout', '500ms'];
      const { code, stderr } = await runProgram([
        'serve',
        '--data-dir',
        temporaryDirectory(),
        '--plugins',
        PLUGIN,
        ...flags,
      ]);
      expect(stderr).toContain(`cannot reach ${name}`);
      expect(code).toBe(6);
    });
  });
}

/** Runs the daemon with an address that is wrong. */
export async function refusalOf(store: string): Promise<{ readonly code: number; readonly stderr: string }> {
  const { code, stderr } = await runProgram(['serve', '--store', store, '--data-dir', temporaryDirectory()]);
  return { code: code ?? -1, stderr };
}
