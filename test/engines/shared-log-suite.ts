import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/store/engine.js';
import { metaKey } from '../../src/store/index/keys.js';
import { openReplicated } from '../../src/engines/replicated/engine.js';
import type { ReplicaOptions } from '../../src/engines/replicated/replica-directory.js';
import type { SharedLog } from '../../src/engines/replicated/shared-log.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { contents } from '../store/helpers.js';
import { engineSuite, increment, KEY, numberIn } from './engine-contract.js';

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

/**
 * The contract of every shared log, and of every engine on one.
 * @param makeStore makes an empty one
 */
export function sharedLogSuite(name: string, makeStore: () => Promise<OpenLog>): void {
  engineSuite(name, async () => {
    const openLog = await makeStore();
    return async () => openReplicated(await openLog(), temporaryDirectory());
  });

  describe(`engines on one shared log, ${name}`, () => {
    const { open, close } = useEngines();

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
  });
}
