import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, KeyRange } from '../../src/store/engine.js';
import { metaKey } from '../../src/store/index/keys.js';
import { removeDirectories } from '../helpers/store.js';
import { contents } from '../store/helpers.js';

/** Opens an engine on a store, for one more process. */
export type OpenEngine = () => Promise<Engine>;

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

const FEW = ['a', 'b', 'c', 'd', 'e'] as const;
const RANGE: KeyRange = { start: metaKey('holder/a'), end: metaKey('holder/e') };

/** Stores a pair for each of {@link FEW}. */
function putFew(engine: Engine): Promise<void> {
  return engine.commit((tx) => {
    for (const name of [...FEW].reverse()) tx.put(metaKey(`holder/${name}`), Buffer.from(name));
  });
}

/**
 * The contract of every engine.
 * @param makeStore makes an empty one, whose engines the returned function opens
 */
export function engineContract(name: string, makeStore: () => Promise<OpenEngine>): void {
  describe(`an engine ${name}`, () => {
    const opened = new Set<Engine>();
    afterEach(async () => {
      for (const engine of opened) await engine.close();
      opened.clear();
      removeDirectories();
    });
    const openOn = async (open: OpenEngine): Promise<Engine> => {
      const engine = await open();
      opened.add(engine);
      return engine;
    };
    const openNew = async (): Promise<Engine> => openOn(await makeStore());
    const openTwo = async (): Promise<[Engine, Engine]> => {
      const store = await makeStore();
      return [await openOn(store), await openOn(store)];
    };

    describe('its reads', () => {
      it('answer undefined for a key that is not there, and for one that was removed', async () => {
        const engine = await openNew();
        expect(await engine.get(KEY)).toBeUndefined();
        await increment(engine);
        await engine.commit((tx) => tx.remove(KEY));
        expect(await engine.get(KEY)).toBeUndefined();
      });

      it('scan the keys of a range in order, from either end, in parts', async () => {
        const engine = await openNew();
        await putFew(engine);
        const snapshot = engine.snapshot();
        const scan = async (range: Partial<KeyRange>, reverse: boolean, limit = 10): Promise<string> => {
          const pairs = await snapshot.scan({ ...RANGE, ...range }, { limit, reverse });
          return pairs.map(({ value }) => String(value)).join('');
        };
        expect(await scan({}, false)).toBe('abcd');
        expect(await scan({}, true)).toBe('dcba');
        expect(await scan({}, false, 2)).toBe('ab');
        expect(await scan({ after: metaKey('holder/b') }, false)).toBe('cd');
        expect(await scan({ after: metaKey('holder/b') }, true)).toBe('a');
        snapshot.close();
      });

      it('scan in place as far as the visitor wants, and say where they ended', async () => {
        const engine = await openNew();
        await putFew(engine);
        const snapshot = engine.snapshot();
        const visited: string[] = [];
        const last = await snapshot.scanInPlace(RANGE, { limit: 10 }, (value, { bytes, end }) => {
          visited.push(String.fromCharCode(value[0] ?? 0, bytes[end - 1] ?? 0));
          return visited.length < 2;
        });
        expect(visited).toEqual(['aa', 'bb']);
        expect(last).toEqual(metaKey('holder/b'));
        expect(await snapshot.scanInPlace(RANGE, { limit: 10 }, () => true)).toBeUndefined();
        snapshot.close();
      });

      it('answer many keys in their order, those that are not there as well', async () => {
        const engine = await openNew();
        await putFew(engine);
        const keys = ['a', 'aa', 'c'].map((one) => metaKey(`holder/${one}`));
        const snapshot = engine.snapshot();
        const texts = (await snapshot.getMany(keys)).map((value) => value?.toString());
        expect(texts).toEqual(['a', undefined, 'c']);
        const visited: (string | undefined)[] = [];
        await snapshot.visitMany(keys, (value) => visited.push(value?.toString()));
        expect(visited).toEqual(texts);
        snapshot.close();
      });

      it('follow the value of one key to another', async () => {
        const engine = await openNew();
        await putFew(engine);
        const follow = async (from: string, to: string): Promise<string | undefined> =>
          (await engine.follow(metaKey(`holder/${from}`), () => metaKey(`holder/${to}`)))?.toString();
        expect(await follow('a', 'c')).toBe('c');
        expect(await follow('a', 'none')).toBeUndefined();
        expect(await follow('none', 'c')).toBeUndefined();
      });

      it('keep the moment of a snapshot, whatever is written after its first read', async () => {
        const [a, b] = await openTwo();
        await increment(a);
        const snapshot = b.snapshot();
        expect(numberIn(await snapshot.get(KEY))).toBe(1);
        await increment(a);
        await b.get(KEY);
        expect(numberIn(await snapshot.get(KEY))).toBe(1);
        snapshot.close();
      });

      it('show what another engine has answered, at once', async () => {
        const [a, b] = await openTwo();
        for (let i = 1; i <= 50; i += 1) {
          const [writer, reader] = i % 2 === 0 ? [a, b] : [b, a];
          expect(await increment(writer)).toBe(i);
          expect(numberIn(await reader.get(KEY))).toBe(i);
          const snapshot = reader.snapshot();
          expect(numberIn(await snapshot.get(KEY))).toBe(i);
          snapshot.close();
        }
      });
    });

    describe('its commits', () => {
      it('see in their body what they have written, and the first pair of a range', async () => {
        const engine = await openNew();
        await putFew(engine);
        const seen = await engine.commit((tx) => {
          tx.remove(metaKey('holder/a'));
          tx.put(metaKey('holder/b'), Buffer.from('new'));
          return [tx.get(metaKey('holder/a')), tx.first(RANGE)?.value].map((value) => value?.toString());
        });
        expect(seen).toEqual([undefined, 'new']);
        expect(await engine.commit((tx) => tx.first({ ...RANGE, start: RANGE.end }))).toBeUndefined();
      });

      it('undo a body that throws, and one that is only tried, and no other of its group', async () => {
        const engine = await openNew();
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

      it('answer a body that writes nothing by the newest commit', async () => {
        const [a, b] = await openTwo();
        for (let i = 1; i <= 20; i += 1) {
          await increment(a);
          expect(await b.commit((tx) => numberIn(tx.get(KEY)))).toBe(i);
        }
      });

      it('of several engines take turns: none starves, and each counts once', async () => {
        const engines = await openTwo();
        const answers = await Promise.all(
          engines.flatMap((engine) => Array.from({ length: 100 }, () => increment(engine))),
        );
        expect(answers.sort((x, y) => x - y)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
      });

      it('are announced to the listeners of other engines', async () => {
        const [a, b] = await openTwo();
        let stop = (): void => undefined;
        const announced = new Promise<void>((resolve) => {
          stop = b.onOtherCommit(() => {
            if (numberIn(b.get(KEY, 'local') as Buffer | undefined) === 1) resolve();
          });
        });
        await increment(a);
        await announced;
        stop();
      });

      it('carry many megabytes', async () => {
        const [a, b] = await openTwo();
        const value = Buffer.alloc(64 * 1024, 'x');
        await a.commit((tx) => {
          for (let i = 0; i < 200; i += 1) {
            value.writeUInt32BE(i);
            tx.put(metaKey(`migration/${i}`), Buffer.from(value.map((byte, at) => (at * 31 + i) & byte)));
          }
        });
        expect(await contents(b)).toEqual(await contents(a));
      });

      it('are there when the store is opened again', async () => {
        const store = await makeStore();
        const engine = await openOn(store);
        await increment(engine);
        opened.delete(engine);
        await engine.close();
        expect(await increment(await openOn(store))).toBe(2);
      });
    });
  });
}
