import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../src/errors.js';
import type { Engine } from '../../src/store/engine.js';
import { decodeLogHead, LOG_HEAD_KEY } from '../../src/store/log.js';
import type { AppendOutcome, Decided, LogPosition, Tail } from '../../src/store/replicated/shared-log.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { temporaryDirectory } from '../helpers/store.js';
import { contents } from '../store/helpers.js';
import { MemoryLog, MemoryServer, type Weather } from './memory-log.js';
import { type Given, increment, KEY, numberIn, sharedLogSuite, useEngines } from './shared-log-suite.js';

sharedLogSuite('in memory', () => {
  const server = new MemoryServer();
  return Promise.resolve(() => Promise.resolve(new MemoryLog(server)));
});

sharedLogSuite('in memory, with late answers', () => {
  const server = new MemoryServer();
  const random = new Random(seedOfRun());
  return Promise.resolve(() => Promise.resolve(new MemoryLog(server, { random, late: 0.5 })));
});

const engines = useEngines();
const { close } = engines;

function open(
  server: MemoryServer,
  { weather, ...given }: Given & { weather?: Weather } = {},
): Promise<Engine> {
  return engines.open(() => Promise.resolve(new MemoryLog(server, weather)), given);
}

/** Its first append comes too late, and the first exclusive one is handed a part of what is missing. */
class FarBehind extends MemoryLog {
  #isFirst = true;

  override append(): Promise<'moved'> {
    return Promise.resolve('moved');
  }

  override appendExclusively(
    after: LogPosition,
    decide: (missing: Tail) => Promise<Decided>,
  ): Promise<AppendOutcome> {
    return super.appendExclusively(after, (missing) => {
      const isPart = this.#isFirst && missing.kind === 'records';
      this.#isFirst = false;
      return decide(isPart ? { ...missing, isEnd: false } : missing);
    });
  }
}

describe('engines on a log that fails', () => {
  it('run a group again that was too far behind to run at all', async () => {
    const engine = await engines.open(() => Promise.resolve(new FarBehind(new MemoryServer())));
    expect(await increment(engine)).toBe(1);
    expect(numberIn(await engine.get(KEY))).toBe(1);
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
