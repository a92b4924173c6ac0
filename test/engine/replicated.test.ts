import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceError } from '../../src/errors.js';
import type { Engine } from '../../src/store/engine.js';
import { metaKey } from '../../src/store/keys.js';
import { decodeLogHead, LOG_HEAD_KEY } from '../../src/store/log.js';
import { openReplicated } from '../../src/store/replicated/engine.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { contents } from '../store/helpers.js';
import { MemoryLog, MemoryServer, type Weather } from './memory-log.js';

const opened = new Set<Engine>();
afterEach(async () => {
  for (const engine of opened) await engine.close();
  opened.clear();
  removeDirectories();
});

interface Given {
  readonly directory?: string;
  readonly weather?: Weather;
  readonly onBroken?: (error: ServiceError) => void;
}

async function open(server: MemoryServer, { directory, weather, ...options }: Given = {}): Promise<Engine> {
  const engine = await openReplicated(
    new MemoryLog(server, weather),
    directory ?? temporaryDirectory(),
    options,
  );
  opened.add(engine);
  return engine;
}

async function close(engine: Engine): Promise<void> {
  opened.delete(engine);
  await engine.close();
}

const KEY = metaKey('migration/1');

function numberIn(bytes: Buffer | undefined): number {
  return bytes === undefined ? 0 : Number(bytes.toString());
}

/** Adds one to the number at a key. */
function increment(engine: Engine, key = KEY): Promise<number> {
  return engine.commit((tx) => {
    const next = numberIn(tx.get(key)) + 1;
    tx.put(key, Buffer.from(String(next)));
    return next;
  });
}

describe('engines on one shared log', () => {
  it('read what another has answered, at once', async () => {
    const server = new MemoryServer();
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
    const server = new MemoryServer();
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
    const server = new MemoryServer();
    const [a, b] = [await open(server), await open(server)];
    const told = new Promise<number>((resolve) => {
      b.onOtherCommit(() => resolve(numberIn(b.get(KEY, 'local') as Buffer | undefined)));
    });
    await increment(a);
    expect(await told).toBe(1);
  });

  it('undo a body that throws, and one that is only tried, and no other of its group', async () => {
    const engine = await open(new MemoryServer());
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
    const server = new MemoryServer();
    const [a, b] = [await open(server), await open(server)];
    for (let i = 1; i <= 20; i += 1) {
      await increment(a);
      expect(await b.commit((tx) => numberIn(tx.get(KEY)))).toBe(i);
    }
  });

  it('share the writes: none starves, and each counts once', async () => {
    const server = new MemoryServer();
    const random = new Random(seedOfRun());
    const engines = [await open(server, { weather: { random, late: 0.5 } }), await open(server)];
    const answers = await Promise.all(
      engines.flatMap((engine) => Array.from({ length: 100 }, () => increment(engine))),
    );
    expect(answers.sort((x, y) => x - y)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
  });

  it('go on from their replica when they are opened again', async () => {
    const server = new MemoryServer();
    const directory = temporaryDirectory();
    await close(await open(server, { directory }).then(async (a) => (await increment(a), a)));
    const other = await open(server);
    await increment(other);
    server.checkpoint.pairs.clear();
    const again = await open(server, { directory });
    expect(numberIn(await again.get(KEY))).toBe(2);
  });

  it('take the checkpoint where the log no longer leads on', async () => {
    const server = new MemoryServer();
    const directory = temporaryDirectory();
    await close(await open(server, { directory }));
    const other = await open(server);
    for (let i = 0; i < 10; i += 1) await increment(other);
    await other.foldLog();
    server.trim(server.head.seq);
    await increment(other);
    const again = await open(server, { directory });
    expect(numberIn(await again.get(KEY))).toBe(11);
    expect(await contents(again)).toEqual(await contents(other));
  });

  it('do not take a replica of another store', async () => {
    const [server, other] = [new MemoryServer(), new MemoryServer()];
    const directory = temporaryDirectory();
    const a = await open(server, { directory });
    await increment(a);
    await close(a);
    const b = await open(other, { directory });
    expect(numberIn(await b.get(KEY))).toBe(0);
  });

  it('end when the log has lost what they know, and let older revisions expire when they are opened again', async () => {
    const server = new MemoryServer();
    const directory = temporaryDirectory();
    let broken: ServiceError | undefined;
    const a = await open(server, { directory, onBroken: (error) => (broken = error) });
    for (let i = 0; i < 5; i += 1) await increment(a);
    server.lose(2);
    await expect(increment(a)).rejects.toThrow('lost commits that were answered');
    await expect(Promise.resolve(a.get(KEY))).rejects.toThrow('lost commits');
    expect(broken?.code).toBe('ServiceUnavailable');
    await close(a);
    const again = await open(server, { directory });
    expect(numberIn(await again.get(KEY))).toBe(3);
    const head = decodeLogHead(await again.get(LOG_HEAD_KEY));
    expect(head.revision).toBeGreaterThanOrEqual(1_000_000);
    expect(head.trimmed).toBe(head.revision);
  });

  it('refuse reads and writes while the log is away, and go on when it is back', async () => {
    const server = new MemoryServer();
    const engine = await open(server);
    await increment(engine);
    server.isAway = true;
    await expect(Promise.resolve(engine.get(KEY))).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await expect(increment(engine)).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    expect(numberIn(await engine.get(KEY, 'local'))).toBe(1);
    expect(engine.writeProblem()).toBe('the log is away');
    server.isAway = false;
    expect(await increment(engine)).toBe(2);
  });

  const seed = seedOfRun();
  it(`neither lose nor repeat an answered commit in bad weather (seed ${seed})`, async () => {
    const random = new Random(seed);
    const server = new MemoryServer();
    const weather = { random, late: 0.3, unknown: 0.1, away: 0.02 };
    const engines: Engine[] = [];
    for (let i = 0; i < 3; i += 1) engines.push(await retried(() => open(server, { weather })));
    const sure: number[] = [];
    let unsure = 0;
    await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        const engine = random.pick(engines);
        try {
          sure.push(await increment(engine));
        } catch (error) {
          if ((error as ServiceError).code === 'OutcomeUnknown') unsure += 1;
          else expect((error as ServiceError).code).toBe('ServiceUnavailable');
        }
        if (i % 50 === 0) await retried(() => engine.foldLog());
      }),
    );
    expect(new Set(sure).size).toBe(sure.length);
    const calm = await open(server);
    const total = numberIn(await calm.get(KEY));
    expect(total).toBeGreaterThanOrEqual(sure.length);
    expect(total).toBeLessThanOrEqual(sure.length + unsure);
    await calm.foldLog();
    server.trim(server.head.seq);
    const made = await open(server);
    expect(await contents(made)).toEqual(await contents(calm));
    for (const engine of engines) {
      await retried(async () => engine.get(KEY));
      expect(numberIn(await engine.get(KEY, 'local'))).toBe(total);
    }
  });
});

async function retried<T>(action: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (attempt === 50) throw error;
    }
  }
}
