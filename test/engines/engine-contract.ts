import { afterEach, describe, it } from 'vitest';
import type { Engine } from '../../src/store/engine.js';
import { metaKey } from '../../src/store/index/keys.js';
import { engineContract } from '../../src/testing/engine-contract.js';
import { removeDirectories } from '../helpers/store.js';

/** Opens an engine on one store, for one more process. */
export type OpenOnStore = () => Promise<Engine>;

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
 * Runs the contract of every engine.
 * @param makeStore makes an empty store, whose engines the returned function opens
 */
export function engineSuite(name: string, makeStore: () => Promise<OpenOnStore>): void {
  describe(`an engine ${name}`, () => {
    afterEach(removeDirectories);
    const stores = new Map<string, Promise<OpenOnStore>>();
    const open = async (store: string): Promise<Engine> => {
      const made = stores.get(store) ?? makeStore();
      stores.set(store, made);
      return (await made)();
    };
    it.each(engineContract(open))('$name', ({ run }) => run());
  });
}
