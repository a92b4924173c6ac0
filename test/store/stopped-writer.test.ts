import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasStuckThread } from '../../src/lib/process/stuck-thread.js';
import type { Engine } from '../../src/store/engine.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { expectCode, refusal } from '../suites/verbs-helpers.js';

afterAll(removeDirectories);

const ENGINE = JSON.stringify(new URL('../../dist/engines/lmdb/engine.js', import.meta.url).href);

/** Commits, and is stopped while the body runs, or after it, as it is written to disk. */
const WRITER = `
  const { openLmdb } = await import(${ENGINE});
  const [directory, step] = process.argv.slice(1);
  const engine = await openLmdb(directory);
  await engine.commit((tx) => {
    tx.put(Buffer.from('other'), Buffer.from('1'));
    const stop = () => {
      console.log('stopped');
      process.kill(process.pid, 'SIGSTOP');
    };
    if (step === 'body') stop();
    else queueMicrotask(stop);
  });
  console.log('committed');
  await engine.close();`;

const KEY = Buffer.from('key');
const OTHER = Buffer.from('other');
let engine: Engine;
let directory = '';
let writer: ChildProcess | undefined;

beforeEach(async () => {
  directory = temporaryDirectory();
  engine = await openLmdb(directory, { relaxed: true, writerWaitMs: 500 });
  await engine.commit((tx) => tx.put(KEY, Buffer.from('0')));
});

afterEach(async () => {
  if (writer?.exitCode === null && writer.signalCode === null) {
    writer.kill('SIGKILL');
    await once(writer, 'close');
  }
  writer = undefined;
  await engine.close();
});

/** Starts a process that has stopped itself when this resolves. @returns its id */
async function stopWriter(step: 'body' | 'flush'): Promise<number> {
  const args = ['--input-type=module', '-e', WRITER, directory, step];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  writer = child;
  await once(createInterface(child.stdout), 'line');
  return child.pid ?? 0;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10);
}

async function put(value: string): Promise<void> {
  await engine.commit((tx) => tx.put(KEY, Buffer.from(value)));
}

describe('a process that is stopped in its commit', () => {
  it('has writes refused, by its name, and never stored; they go through when it goes on', async () => {
    const pid = await stopWriter('body');
    const refused = await refusal(put('refused'));
    expect(refused.code).toBe('ServiceUnavailable');
    expect(refused.message).toContain(`process ${pid} is stopped and holds the lock`);
    expect(refused.details.retryAfterSeconds).toBe(1);
    expect(engine.writeProblem()).toContain(`kill -CONT ${pid}`);
    // Refused at once: not even the group commit has it.
    await expectCode('ServiceUnavailable', put('refused at once'));
    process.kill(pid, 'SIGCONT');
    await until(() => engine.writeProblem() === undefined);
    expect((await engine.get(KEY))?.toString()).toBe('0');
    await put('after');
    expect((await engine.get(KEY))?.toString()).toBe('after');
    expect((await engine.get(OTHER))?.toString()).toBe('1');
  });

  it('has writes go through when it is killed', async () => {
    const pid = await stopWriter('body');
    await expectCode('ServiceUnavailable', put('refused'));
    process.kill(pid, 'SIGKILL');
    await until(() => engine.writeProblem() === undefined);
    expect((await engine.get(KEY))?.toString()).toBe('0');
    await put('after');
    expect((await engine.get(KEY))?.toString()).toBe('after');
  });

  it.each(['SIGCONT', 'SIGKILL'] as const)(
    'after its body has writes stored or refused, never both, and all goes on after %s',
    async (signal) => {
      const pid = await stopWriter('flush');
      // Its thread may have the commit on disk by now, and have given the lock back.
      const isStored = await put('meanwhile').then(
        () => true,
        () => false,
      );
      process.kill(pid, signal);
      await until(() => engine.writeProblem() === undefined);
      expect((await engine.get(KEY))?.toString()).toBe(isStored ? 'meanwhile' : '0');
      await put('after');
      expect((await engine.get(KEY))?.toString()).toBe('after');
    },
  );
});

it('a stopped process is seen also when nobody writes', async () => {
  const pid = await stopWriter('body');
  await until(() => engine.writeProblem() !== undefined);
  expect(engine.writeProblem()).toContain(String(pid));
});

it('a stopped process keeps no other one from closing, which has a stuck thread then', async () => {
  await stopWriter('body');
  await expectCode('ServiceUnavailable', put('refused'));
  expect(hasStuckThread()).toBe(false);
  await engine.close();
  expect(hasStuckThread()).toBe(true);
});
