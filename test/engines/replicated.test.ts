import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { unavailable, type ServiceError } from '../../src/errors.js';
import type { Engine } from '../../src/store/engine.js';
import { metaKey } from '../../src/store/index/keys.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { decodeLogHead, LOG_HEAD_KEY } from '../../src/store/log/log.js';
import { encodeRecord } from '../../src/engines/replicated/log-record.js';
import type {
  AppendOutcome,
  Checkpoint,
  Decided,
  LogPosition,
  NewRecord,
  Tail,
} from '../../src/engines/replicated/shared-log.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { mountSmallDisk, useSmallDisks } from '../helpers/small-disk.js';
import { temporaryDirectory } from '../helpers/store.js';
import { contents } from '../store/helpers.js';
import { MemoryLog, MemoryServer, type Weather } from './memory-log.js';
import { increment, KEY, numberIn } from './engine-contract.js';
import { type Given, sharedLogSuite, useEngines } from './shared-log-suite.js';

sharedLogSuite('in memory', () => {
  const server = new MemoryServer();
  return Promise.resolve(() => Promise.resolve(new MemoryLog(server)));
});

sharedLogSuite('in memory, with late answers', () => {
  const server = new MemoryServer();
  const random = new Random(seedOfRun());
  return Promise.resolve(() => Promise.resolve(new MemoryLog(server, { random, late: 0.5 })));
});

useSmallDisks();
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

/** Records are appended and forgotten while the checkpoint is read. */
class ForgetfulLog extends MemoryLog {
  constructor(private readonly forgetful: MemoryServer) {
    super(forgetful);
  }

  override async checkpoint(): Promise<Checkpoint> {
    const checkpoint = await super.checkpoint();
    const { forgetful } = this;
    const record = { id: randomUUID(), writes: await encodeRecord(new Map()) };
    forgetful.append(forgetful.head, record);
    forgetful.trim(forgetful.head.seq);
    return checkpoint;
  }
}

/** Something happens between an append and its answer. */
class Interrupted extends MemoryLog {
  constructor(
    server: MemoryServer,
    private readonly isAlone: boolean,
    private readonly interrupt: () => void,
  ) {
    super(server);
  }

  override async append(after: LogPosition, record: NewRecord): Promise<'appended' | 'moved'> {
    if (this.isAlone) return 'moved';
    const outcome = await super.append(after, record);
    this.interrupt();
    return outcome;
  }

  override async appendExclusively(
    after: LogPosition,
    decide: (missing: Tail) => Promise<Decided>,
  ): Promise<AppendOutcome> {
    const outcome = await super.appendExclusively(after, decide);
    this.interrupt();
    return outcome;
  }
}

const MIB = 1024 * 1024;

describe('engines whose own disk fails', () => {
  it.each([
    ['at once', false],
    ['with the others kept out', true],
  ])(
    'never say of a commit that was appended %s that it is not stored, though it cannot be read here',
    async (_, isAlone) => {
      const server = new MemoryServer();
      const directory = path.join(temporaryDirectory(), 'replica');
      const interrupt = (): void => renameSync(directory, `${directory}.away`);
      const engine = await engines.open(() => Promise.resolve(new Interrupted(server, isAlone, interrupt)), {
        directory,
      });
      const reported = increment(engine);
      await expect(reported).rejects.toMatchObject({ code: 'OutcomeUnknown' });
      await expect(reported).rejects.toThrow(
        /the write is stored, but this process cannot read it yet: .*data\.mdb is gone/u,
      );
      expect(numberIn(await (await open(server)).get(KEY))).toBe(1);
      await expect(Promise.resolve(engine.get(KEY))).rejects.toMatchObject({ code: 'ServiceUnavailable' });
      renameSync(`${directory}.away`, directory);
      expect(numberIn(await engine.get(KEY))).toBe(1);
    },
  );

  it('append nothing that they have no room for', async (context) => {
    const disk = mountSmallDisk(8 * MIB);
    if (disk === undefined) return context.skip('a small file system can only be mounted by root');
    const server = new MemoryServer();
    const engine = await open(server, { directory: path.join(disk.directory, 'replica') });
    await increment(engine);
    disk.fill(6 * MIB);
    const large = engine.commit((tx) => tx.put(metaKey('migration/2'), Buffer.alloc(MIB)));
    await expect(large).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await expect(large).rejects.toThrow('not enough disk space');
    expect(server.head.seq).toBe(1);
    expect(await increment(engine)).toBe(2);
    disk.empty();
    await engine.commit((tx) => tx.put(metaKey('migration/2'), Buffer.alloc(MIB)));
    expect(server.head.seq).toBe(3);
    await close(engine);
  });
});

const seed = seedOfRun();

describe('engines alone on a log', () => {
  it(`build each group upon the last one, and answer when it can be read here (seed ${seed})`, async () => {
    const random = new Random(seed);
    const engine = await open(new MemoryServer(), { weather: { random, late: 1 } });
    const numbers: number[] = [];
    const write = async (): Promise<void> => {
      for (let i = 0; i < 20; i += 1) {
        const number = await increment(engine);
        expect(numberIn(await engine.get(KEY, 'local'))).toBeGreaterThanOrEqual(number);
        numbers.push(number);
        if (random.chance(0.5)) await sleep(random.below(5));
      }
    };
    await Promise.all(Array.from({ length: 20 }, write));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1));
    expect(engine.sharedLog()).toMatchObject({ moved: 0, unknown: 0 });
  });
});

/** One answer about the log comes when the test says so. Further reads fail. */
class LateLog extends MemoryLog {
  release: () => void = () => undefined;
  #hasRead: () => void = () => undefined;
  readonly hasRead = new Promise<void>((resolve) => (this.#hasRead = resolve));
  #reads = 0;

  override async tail(after: LogPosition): Promise<Tail> {
    this.#reads += 1;
    // The first one is that of the start.
    if (this.#reads > 2) throw unavailable('the log is away');
    const tail = await super.tail(after);
    if (this.#reads < 2) return tail;
    this.#hasRead();
    await new Promise<void>((resolve) => (this.release = resolve));
    return tail;
  }
}

describe('engines of two processes with one directory', () => {
  it('do not undo what the other one has applied', async () => {
    const server = new MemoryServer();
    const directory = temporaryDirectory();
    const other = await open(server, { directory });
    const log = new LateLog(server);
    const late = await engines.open(() => Promise.resolve(log), { directory });
    const writer = await open(server);
    await increment(writer);
    // The late one knows the first record alone.
    await log.hasRead;
    await increment(writer);
    expect(numberIn(await other.get(KEY))).toBe(2);
    log.release();
    await expect(Promise.resolve(late.get(KEY))).rejects.toThrow('the log is away');
    expect(numberIn(await late.get(KEY, 'local'))).toBe(2);
    await increment(writer, metaKey('migration/9'));
    expect(numberIn(await other.get(KEY))).toBe(2);
    expect(await contents(other)).toEqual(await contents(writer));
  });

  it('write on a state that the other one has applied', async () => {
    const server = new MemoryServer();
    const directory = temporaryDirectory();
    const other = await open(server, { directory });
    const log = new LateLog(server);
    const late = await engines.open(() => Promise.resolve(log), { directory });
    await increment(other);
    await log.hasRead;
    await increment(other);
    expect(await increment(late)).toBe(3);
    expect(numberIn(await other.get(KEY))).toBe(3);
    log.release();
    expect(numberIn(await late.get(KEY, 'local'))).toBe(3);
  });

  it(`have the same contents as all others (seed ${seed})`, async () => {
    const random = new Random(seed);
    const server = new MemoryServer();
    const directory = temporaryDirectory();
    const weather = { random, late: 0.5 };
    const all = [await open(server, { directory, weather }), await open(server, { directory, weather })];
    all.push(await open(server, { weather }));
    const write = async (): Promise<void> => {
      for (let i = 0; i < 15; i += 1) {
        await increment(random.pick(all), metaKey(`migration/${random.below(5)}`));
        if (random.chance(0.5)) await sleep(random.below(3));
      }
    };
    await Promise.all(Array.from({ length: 6 }, write));
    const [first, ...others] = await Promise.all(all.map(contents));
    for (const other of others) expect(other).toEqual(first);
  });
});

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

  it('make a new replica when the machine was started since, for theirs may not be on its disk', async () => {
    const server = new MemoryServer();
    const directory = temporaryDirectory();
    const before = await open(server, { directory });
    await increment(before);
    await close(before);
    // As a machine that loses its power may leave it.
    const torn = await openLmdb(directory, { relaxed: true });
    await torn.commit((tx) => tx.put(KEY, Buffer.from('99')));
    await torn.close();
    const trusting = await open(server, { directory });
    expect(numberIn(await trusting.get(KEY))).toBe(99);
    await close(trusting);
    writeFileSync(path.join(directory, 'boot'), 'another');
    expect(numberIn(await (await open(server, { directory })).get(KEY))).toBe(1);
  });

  it(`make the same replica at any moment, whatever was folded until then (seed ${seed})`, async () => {
    const random = new Random(seed);
    const server = new MemoryServer();
    const [a, b] = [await open(server), await open(server)];
    const writers = [a, b] as const;
    for (let step = 0; step < 60; step += 1) {
      const writer = random.pick(writers);
      const key = metaKey(`migration/${random.below(8)}`);
      if (random.chance(0.2)) await writer.commit((tx) => tx.remove(key));
      else await increment(writer, key);
      if (random.chance(0.3)) await random.pick(writers).foldLog();
      if (random.chance(0.3)) server.trim(server.checkpoint.at.seq);
      const anew = await open(server);
      expect(await contents(anew)).toEqual(await contents(random.pick(writers)));
      await close(anew);
    }
  });

  it('end when the log has lost their records, and let older revisions expire when they are opened again', async () => {
    const server = new MemoryServer();
    const directory = temporaryDirectory();
    let broken: ServiceError | undefined;
    const a = await open(server, { directory, onBroken: (error) => (broken = error) });
    for (let i = 0; i < 5; i += 1) await increment(a);
    server.lose(2);
    await expect(increment(a)).rejects.toThrow('lost acknowledged commits');
    await expect(Promise.resolve(a.get(KEY))).rejects.toThrow('lost acknowledged commits');
    expect(broken?.code).toBe('ServiceUnavailable');
    await close(a);
    const again = await open(server, { directory });
    expect(numberIn(await again.get(KEY))).toBe(3);
    const head = decodeLogHead(await again.get(LOG_HEAD_KEY));
    expect(head.revision).toBeGreaterThanOrEqual(1_000_000);
    expect(head.trimmed).toBe(head.revision);
  });

  it('end when the log was trimmed beyond them', async () => {
    const server = new MemoryServer();
    let broken: ServiceError | undefined;
    const late = await open(server, { onBroken: (error) => (broken = error) });
    // It gets no notification.
    server.listeners.clear();
    const writer = await open(server);
    for (let i = 0; i < 5; i += 1) await increment(writer);
    await writer.foldLog();
    server.trim(server.head.seq);
    await expect(increment(late)).rejects.toThrow('no longer has commits that this process has not read yet');
    expect(broken?.code).toBe('ServiceUnavailable');
    expect(await increment(writer)).toBe(6);
  });

  it('say how long records must stay when those are forgotten that were written while a replica was made', async () => {
    const server = new MemoryServer();
    const writer = await open(server);
    await increment(writer);
    await writer.foldLog();
    const opening = engines.open(() => Promise.resolve(new ForgetfulLog(server)));
    await expect(opening).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await expect(opening).rejects.toThrow(/add retain=1h or more to the address of the store/u);
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
    for (const engine of engines) {
      await retried(async () => engine.get(KEY));
      expect(numberIn(await engine.get(KEY, 'local'))).toBe(total);
    }
    await calm.foldLog();
    server.trim(server.head.seq);
    const made = await open(server);
    expect(await contents(made)).toEqual(await contents(calm));
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
