import assert from 'node:assert/strict';
import type { Engine, KeyRange, KeyValue } from '../store/engine.js';
import { metaKey } from '../store/index/keys.js';
import { withSnapshot } from '../store/with-snapshot.js';

/**
 * Opens an engine on the store of a name, as one more process would. A store that was not opened before is empty.
 * Engines that are opened on one name share what is stored.
 */
export type OpenEngine = (store: string) => Promise<Engine>;

/** One test of the contract, for any test runner. It fails by throwing, and closes what it has opened. */
export interface EngineTest {
  /** A sentence: what an engine does. */
  readonly name: string;
  readonly run: () => Promise<void>;
}

/**
 * The tests that every engine has to pass, see {@link Engine}.
 *
 * ```ts
 * import { test } from 'node:test';
 * import { engineContract } from 'xsvc/testing';
 *
 * for (const { name, run } of engineContract(openMyEngine)) test(name, run);
 * ```
 *
 * @param open is called with a new name for each store that a test needs
 * @param announceMs a commit must be announced within this time, in milliseconds; default 10,000
 */
export function engineContract(open: OpenEngine, announceMs = 10_000): readonly EngineTest[] {
  return Object.entries({ ...READS, ...COMMITS }).map(([name, test]) => ({
    name,
    async run() {
      const stores = new OpenStores(open, announceMs);
      try {
        await test(stores);
      } finally {
        await stores.close();
      }
    },
  }));
}

type ContractTest = (stores: OpenStores) => Promise<void>;

const KEY = metaKey('migration/1');
const FEW = ['a', 'b', 'c', 'd', 'e'] as const;
const RANGE: KeyRange = { start: holder('a'), end: holder('e') };
/** Pairs of a scan that reads all. */
const ALL = 100_000;

let stores = 0;

/** The engines that a test has opened. */
class OpenStores {
  readonly #opened: Engine[] = [];

  constructor(
    private readonly openEngine: OpenEngine,
    readonly announceMs: number,
  ) {}

  newName(): string {
    return `contract-${process.pid}-${(stores += 1)}`;
  }

  async open(name = this.newName()): Promise<Engine> {
    const engine = await this.openEngine(name);
    this.#opened.push(engine);
    return engine;
  }

  async openTwo(): Promise<[Engine, Engine]> {
    const name = this.newName();
    return [await this.open(name), await this.open(name)];
  }

  async closeOne(engine: Engine): Promise<void> {
    this.#opened.splice(this.#opened.indexOf(engine), 1);
    await engine.close();
  }

  async close(): Promise<void> {
    for (const engine of this.#opened.splice(0)) await engine.close();
  }
}

function holder(name: string): Buffer {
  return metaKey(`holder/${name}`);
}

function numberIn(bytes: Buffer | undefined): number {
  return bytes === undefined ? 0 : Number(bytes.toString());
}

function increment(engine: Engine, key = KEY): Promise<number> {
  return engine.commit((tx) => {
    const next = numberIn(tx.get(key)) + 1;
    tx.put(key, Buffer.from(String(next)));
    return next;
  });
}

/** Stores a pair for each of {@link FEW}. */
function putFew(engine: Engine): Promise<void> {
  return engine.commit((tx) => {
    for (const name of [...FEW].reverse()) tx.put(holder(name), Buffer.from(name));
  });
}

async function readMigrations(engine: Engine): Promise<readonly KeyValue[]> {
  // The character after `9`.
  const range = { start: metaKey('migration/0'), end: Buffer.from('\x01migration/:', 'latin1') };
  return withSnapshot(engine, (snapshot) => snapshot.scan(range, { limit: ALL }));
}

const READS: Readonly<Record<string, ContractTest>> = {
  async 'answers undefined for a key that does not exist, and for one that was removed'(stores) {
    const engine = await stores.open();
    assert.equal(await engine.get(KEY), undefined);
    await increment(engine);
    await engine.commit((tx) => tx.remove(KEY));
    assert.equal(await engine.get(KEY), undefined);
  },

  async 'scans the keys of a range in order, from either end, in parts'(stores) {
    const engine = await stores.open();
    await putFew(engine);
    await withSnapshot(engine, async (snapshot) => {
      const scan = async (range: Partial<KeyRange>, reverse: boolean, limit = 10): Promise<string> => {
        const pairs = await snapshot.scan({ ...RANGE, ...range }, { limit, reverse });
        return pairs.map(({ value }) => value.toString()).join('');
      };
      assert.equal(await scan({}, false), 'abcd');
      assert.equal(await scan({}, true), 'dcba');
      assert.equal(await scan({}, false, 2), 'ab');
      assert.equal(await scan({ after: holder('b') }, false), 'cd');
      assert.equal(await scan({ after: holder('b') }, true), 'a');
    });
  },

  async 'scans in place until the visitor ends the scan, and answers the last key'(stores) {
    const engine = await stores.open();
    await putFew(engine);
    await withSnapshot(engine, async (snapshot) => {
      const visited: string[] = [];
      const last = await snapshot.scanInPlace(RANGE, { limit: 10 }, (value, { bytes, end }) => {
        visited.push(String.fromCharCode(value[0] ?? 0, bytes[end - 1] ?? 0));
        return visited.length < 2;
      });
      assert.deepEqual(visited, ['aa', 'bb']);
      assert.deepEqual(last && Buffer.from(last), holder('b'));
      assert.equal(await snapshot.scanInPlace(RANGE, { limit: 10 }, () => true), undefined);
    });
  },

  async 'answers many keys in their order, also those that do not exist'(stores) {
    const engine = await stores.open();
    await putFew(engine);
    await withSnapshot(engine, async (snapshot) => {
      const keys = ['a', 'aa', 'c'].map(holder);
      const texts = (await snapshot.getMany(keys)).map((value) => value?.toString());
      assert.deepEqual(texts, ['a', undefined, 'c']);
      const visited: (string | undefined)[] = [];
      await snapshot.visitMany(keys, (value) => visited.push(value?.toString()));
      assert.deepEqual(visited, texts);
    });
  },

  async 'follows the value of one key to another key'(stores) {
    const engine = await stores.open();
    await putFew(engine);
    const follow = async (from: string, to: string): Promise<string | undefined> =>
      (await engine.follow(holder(from), () => holder(to)))?.toString();
    assert.equal(await follow('a', 'c'), 'c');
    assert.equal(await follow('a', 'none'), undefined);
    assert.equal(await follow('none', 'c'), undefined);
  },

  async 'keeps the moment of a snapshot, whatever is written after its first read'(stores) {
    const [a, b] = await stores.openTwo();
    await increment(a);
    await withSnapshot(b, async (snapshot) => {
      assert.equal(numberIn(await snapshot.get(KEY)), 1);
      await increment(a);
      await b.get(KEY);
      assert.equal(numberIn(await snapshot.get(KEY)), 1);
    });
  },

  async 'reads every commit that another engine has answered, at once'(stores) {
    const [a, b] = await stores.openTwo();
    for (let i = 1; i <= 50; i += 1) {
      const [writer, reader] = i % 2 === 0 ? [a, b] : [b, a];
      assert.equal(await increment(writer), i);
      assert.equal(numberIn(await reader.get(KEY)), i);
      await withSnapshot(reader, async (snapshot) => {
        assert.equal(numberIn(await snapshot.get(KEY)), i);
      });
    }
  },
};

const COMMITS: Readonly<Record<string, ContractTest>> = {
  async 'lets the body of a commit read its own writes, and the first pair of a range'(stores) {
    const engine = await stores.open();
    await putFew(engine);
    const seen = await engine.commit((tx) => {
      tx.remove(holder('a'));
      tx.put(holder('b'), Buffer.from('new'));
      return [tx.get(holder('a')), tx.first(RANGE)?.value].map((value) => value?.toString());
    });
    assert.deepEqual(seen, [undefined, 'new']);
    assert.equal(await engine.commit((tx) => tx.first({ ...RANGE, start: RANGE.end })), undefined);
  },

  async 'undoes a body that throws and a dry run, and no other body of their group'(stores) {
    const engine = await stores.open();
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
    const answers = outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'thrown'));
    assert.deepEqual(answers, [1, 'thrown', 1000, 2]);
    assert.equal(numberIn(await engine.get(KEY)), 2);
  },

  async 'answers a body without writes by the newest commit'(stores) {
    const [a, b] = await stores.openTwo();
    for (let i = 1; i <= 20; i += 1) {
      await increment(a);
      assert.equal(await b.commit((tx) => numberIn(tx.get(KEY))), i);
    }
  },

  async 'takes turns with other engines: none starves, and each commit counts once'(stores) {
    const engines = await stores.openTwo();
    const answers = await Promise.all(
      engines.flatMap((engine) => Array.from({ length: 100 }, () => increment(engine))),
    );
    assert.deepEqual(
      answers.sort((x, y) => x - y),
      Array.from({ length: 200 }, (_, i) => i + 1),
    );
  },

  async 'announces commits to the listeners of other engines'(stores) {
    const [a, b] = await stores.openTwo();
    const isRead = async (): Promise<boolean> => numberIn(await b.get(KEY, 'local')) === 1;
    const announced = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the commit was not announced')), stores.announceMs);
      const stop = b.onOtherCommit(() => {
        isRead().then((hasRead) => {
          if (!hasRead) return;
          clearTimeout(late);
          stop();
          resolve();
        }, reject);
      });
    });
    await Promise.all([announced, increment(a)]);
  },

  async 'stores commits of many megabytes'(stores) {
    const [a, b] = await stores.openTwo();
    const value = Buffer.alloc(64 * 1024, 'x');
    await a.commit((tx) => {
      for (let i = 0; i < 200; i += 1) {
        value.writeUInt32BE(i);
        tx.put(metaKey(`migration/${i}`), Buffer.from(value.map((byte, at) => (at * 31 + i) & byte)));
      }
    });
    const [stored, read] = [await readMigrations(a), await readMigrations(b)];
    assert.equal(stored.length, 200);
    assert.deepEqual(read, stored);
  },

  async 'has its commits when the store is opened again'(stores) {
    const name = stores.newName();
    const engine = await stores.open(name);
    await increment(engine);
    await stores.closeOne(engine);
    assert.equal(await increment(await stores.open(name)), 2);
  },
};
