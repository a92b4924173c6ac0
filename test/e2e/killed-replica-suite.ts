import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { runProgram, spawnDaemon, type DaemonProcess } from '../helpers/daemon.js';
import { person, PERSONS } from '../helpers/http.js';
import { PLUGIN, startOn } from '../helpers/shared-daemon.js';
import { temporaryDirectory } from '../helpers/store.js';

const OBJECTS = 4_000;
/** More than are asked for at once. */
const MISSED = 150;

/** Size and time of change of the file of a daemon's replica, which need not exist yet. */
function replicaFile(dataDir: string): { readonly bytes: number; readonly changedMs: number } {
  const found = statSync(path.join(dataDir, 'replica/data.mdb'), { throwIfNoEntry: false });
  return { bytes: found?.size ?? 0, changedMs: found?.mtimeMs ?? 0 };
}

/** The place in the log that the replica of a stopped daemon has reached. */
async function placeOf(dataDir: string): Promise<number> {
  const engine = await openLmdb(path.join(dataDir, 'replica'), { relaxed: true });
  const place = (await engine.get(Buffer.from('\x00replica', 'latin1')))?.toString() ?? '{}';
  await engine.close();
  return (JSON.parse(place) as { readonly seq: number }).seq;
}

async function expectSame(a: DaemonProcess, b: DaemonProcess): Promise<void> {
  const [ofA, ofB] = [await a.get(`${PERSONS}?size=0`), await b.get(`${PERSONS}?size=0`)];
  expect(ofB.json()).toEqual(ofA.json());
  expect(await runProgram(['check', '--server', b.url])).toMatchObject({ code: 0, stdout: '' });
}

/** The state of the replica of a daemon that is killed while it writes there. */
export function killedReplicaSuite(name: string, newStore: () => string): void {
  describe(`a daemon of a store in ${name} that is killed`, () => {
    /** A store with a checkpoint that takes a while to be read. */
    async function filledStore(): Promise<string> {
      const [source, store] = [temporaryDirectory(), newStore()];
      const file = path.join(temporaryDirectory(), 'persons.ndjson');
      const type = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person' };
      const objects = Array.from({ length: OBJECTS }, (_, i) => ({ ...type, ...person(`f${i}`) }));
      writeFileSync(file, objects.map((object) => JSON.stringify(object)).join('\n'));
      for (const args of [
        ['import', '-f', file, '--data-dir', source, '--plugins', PLUGIN],
        ['store', 'copy', '--from', `lmdb:${source}`, '--to', store],
      ])
        expect(await runProgram(args)).toMatchObject({ code: 0 });
      return store;
    }

    it('while it takes up the checkpoint has all of it when it is started again', async () => {
      const store = await filledStore();
      const [ofA, dataDir] = [temporaryDirectory(), temporaryDirectory()];
      const a = await startOn(store, [], ofA);
      const { bytes } = replicaFile(ofA);
      for (const share of [0.1, 0.4, 0.8]) {
        const { child, exited } = spawnDaemon({ dataDir, plugins: [PLUGIN], flags: ['--store', store] });
        while (child.exitCode === null && replicaFile(dataDir).bytes < share * bytes) await nextTurn();
        child.kill('SIGKILL');
        expect((await exited).signal).toBe('SIGKILL');
        expect(existsSync(path.join(dataDir, 'replica/boot'))).toBe(false);
      }
      await expectSame(a, await startOn(store, [], dataDir));
    });

    it('while it follows the log goes on from where it was when it is started again', async () => {
      const [store, dataDir] = [newStore(), temporaryDirectory()];
      const a = await startOn(store);
      let inTheMiddle = 0;
      for (let round = 0; round < 3 || (inTheMiddle === 0 && round < 20); round += 1) {
        const b = await startOn(store, [], dataDir);
        await expectSame(a, b);
        b.signal('SIGSTOP');
        const before = replicaFile(dataDir).changedMs;
        for (let i = 0; i < MISSED; i += 1) await a.send('POST', PERSONS, { body: person(`r${round}-${i}`) });
        b.signal('SIGCONT');
        while (replicaFile(dataDir).changedMs === before) await nextTurn();
        b.signal('SIGKILL');
        await b.exited;
        const metrics = (await a.get('/metrics')).text;
        const end = Number(/^xsvc_shared_log_position (\d+)$/m.exec(metrics)?.[1]);
        // The one that leads goes on writing a little.
        if (end - (await placeOf(dataDir)) > MISSED / 10) inTheMiddle += 1;
      }
      expect(inTheMiddle).toBeGreaterThan(0);
      await expectSame(a, await startOn(store, [], dataDir));
    });
  });
}
