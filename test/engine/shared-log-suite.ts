import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/store/engine.js';
import { metaKey } from '../../src/store/keys.js';
import { openReplicated } from '../../src/store/replicated/engine.js';
import type { ReplicaOptions } from '../../src/store/replicated/replica.js';
import type { SharedLog } from '../../src/store/replicated/shared-log.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { contents } from '../store/helpers.js';

/** Opens a log for one more process. */
export type OpenLog = () => Promise<SharedLog>;

export interface Given extends Pick<ReplicaOptions, 'onBroken'> {
  /** Of the replica. Default: a new one. */
  readonly directory?: string;
}

export interface Engines {
  readonly open: (openLog: OpenLog, given?: Given) => Promise<Engine>;
  readonly close: (engine: Engine) => Promise<void>;
}

/** Closes engines when a test ends. */
export function useEngines(): Engines {
  const opened = new Set<Engine>();
  afterEach(async () => {
    for (const engine of opened) await engine.close();
    opened.clear();
    removeDirectories();
  });
  return {
    async open(openLog, { directory = temporaryDirectory(), ...options } = {}) {
      const engine = await openReplicated(await openLog(), directory, options);
      opened.add(engine);
      return engine;
    },
    async close(engine) {
      opened.delete(engine);
      await engine.close();
    },
  };
}

export const KEY = metaKey('migration/1');

export function numberIn(bytes: Buffer | undefined): number {
  return bytes === undefined ? 0 : Number(bytes.toString());
}

/** Adds one to the number at a key. */
export function increment(engine: Engine, key = KEY): Promise<number> {
  return engine.commit((tx) => {
    const next = numberIn(tx.get(key)) + 1;
    tx.put(key, Buffer.from(String(next)));
    return next;
  });
}

/**
 * What every shared log must carry.
 * @param makeStore makes an empty one
 */
export function sharedLogSuite(name: string, makeStore: () => Promise<OpenLog>): void {
  const { open, close } = useEngines();

  describe(`engines on one shared log, ${name}`, () => {
    it('read what another has answered, at once', async () => {
      const server = await makeStore();
      const [a, b] = [await open(server), await open(server)];
      for (let i = 1; i <= 50; i += 1) {
        const [writer, reader] = i % 2 === 0 ? [a, b] : [b, a];
        expect(await increment(writer)).toBe(i);
        expect(numberIn(await reader.get(KEY))).toBe(i);
        const snapshot = reader.snapshot();
        expect(numberIn(await snapshot.get(KEY))).toBe(i);
        snapshot.close();
      }
    });

    it('keep the moment of a snapshot, whatever is written after its first read', async () => {
      const server = await makeStore();
      const [a, b] = [await open(server), await open(server)];
      await increment(a);
      const snapshot = b.snapshot();
      expect(numberIn(await snapshot.get(KEY))).toBe(1);
      await increment(a);
      await b.get(KEY);
      expect(numberIn(await snapshot.get(KEY))).toBe(1);
      snapshot.close();
    });

    it('tell their listeners of the commits of others', async () => {
      const server = await makeStore();
      const [a, b] = [await open(server), await open(server)];
      const told = new Promise<number>((resolve) => {
        b.onOtherCommit(() => resolve(numberIn(b.get(KEY, 'local') as Buffer | undefined)));
      });
      await increment(a);
      expect(await told).toBe(1);
    });

    it('undo a body that throws, and one that is only tried, and no other of its group', async () => {
      const engine = await open(await makeStore());
      const outcomes = await Promise.allSettled([
        increment(engine),
        engine.commit((tx) => {
          tx.put(KEY, Buffer.from('100'));
          throw new Error('planned');
        }),
        engine.commit(
          (tx) => {
            tx.put(KEY, Buffer.from('1000'));
            return numberIn(tx.get(KEY));
          },
          { dryRun: true },
        ),
        increment(engine),
      ]);
      expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'thrown'))).toEqual([
        1,
        'thrown',
        1000,
        2,
      ]);
      expect(numberIn(await engine.get(KEY))).toBe(2);
    });

    it('answer a body that writes nothing by what is true at the end of the log', async () => {
      const server = await makeStore();
      const [a, b] = [await open(server), await open(server)];
      for (let i = 1; i <= 20; i += 1) {
        await increment(a);
        expect(await b.commit((tx) => numberIn(tx.get(KEY)))).toBe(i);
      }
    });

    it('share the writes: none starves, and each counts once', async () => {
      const server = await makeStore();
      const engines = [await open(server), await open(server)];
      const answers = await Promise.all(
        engines.flatMap((engine) => Array.from({ length: 100 }, () => increment(engine))),
      );
      expect(answers.sort((x, y) => x - y)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    });

    it('go on from their replica when they are opened again', async () => {
      const server = await makeStore();
      const directory = temporaryDirectory();
      await close(await open(server, { directory }).then(async (a) => (await increment(a), a)));
      const other = await open(server);
      await increment(other);
      const again = await open(server, { directory });
      expect(numberIn(await again.get(KEY))).toBe(2);
    });

    it('do not take a replica of another store', async () => {
      const [server, other] = [await makeStore(), await makeStore()];
      const directory = temporaryDirectory();
      const a = await open(server, { directory });
      await increment(a);
      await close(a);
      const b = await open(other, { directory });
      expect(numberIn(await b.get(KEY))).toBe(0);
    });

    it('make a new replica from the checkpoint and the log after it', async () => {
      const server = await makeStore();
      const a = await open(server);
      for (let i = 0; i < 20; i += 1) await increment(a, metaKey(`migration/${i % 7}`));
      await a.foldLog();
      await a.commit((tx) => tx.remove(metaKey('migration/3')));
      const b = await open(server);
      expect(await contents(b)).toEqual(await contents(a));
      await b.foldLog();
      const c = await open(server);
      expect(await contents(c)).toEqual(await contents(a));
    });

    it('keep the checkpoint right when two fold at once', async () => {
      const server = await makeStore();
      const [a, b] = [await open(server), await open(server)];
      for (let round = 0; round < 5; round += 1) {
        for (let i = 0; i < 10; i += 1) await increment(i % 2 === 0 ? a : b, metaKey(`migration/${i % 3}`));
        await Promise.all([a.foldLog(), b.foldLog()]);
      }
      const c = await open(server);
      expect(await contents(c)).toEqual(await contents(a));
    });

    it('carry a commit of many megabytes', async () => {
      const server = await makeStore();
      const [a, b] = [await open(server), await open(server)];
      const value = Buffer.alloc(64 * 1024, 'x');
      await a.commit((tx) => {
        for (let i = 0; i < 200; i += 1) {
          value.writeUInt32BE(i);
          tx.put(metaKey(`migration/${i}`), Buffer.from(value.map((byte, at) => (at * 31 + i) & byte)));
        }
      });
      expect(await contents(b)).toEqual(await contents(a));
    });
  });
}
