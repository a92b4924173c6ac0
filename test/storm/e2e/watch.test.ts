import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWriter } from '../../../src/daemon/offline/plugin-store.js';
import { run } from '../../../src/cli/program.js';
import { readConfig } from '../../../src/config.js';
import { SILENT } from '../../../src/lib/log/logger.js';
import type { Service } from '../../../src/service/service.js';
import { testIo, type TestIo } from '../../cli/helpers.js';
import {
  EXAMPLE_PLUGINS,
  freePort,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSONS, PERSON_REF, person } from '../../helpers/http.js';
import { seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import { openStream, streamText, type OpenStream, type StreamEvent } from '../../helpers/watching.js';

const PERSON_PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');
const CHURN = new URL('../../helpers/churn.mjs', import.meta.url).pathname;
const seed = seedOfRun();

let dataDir = '';
let daemon: DaemonProcess;
beforeAll(async () => {
  dataDir = path.join(temporaryDirectory(), 'data');
  daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN], port: await freePort() });
});
beforeEach(async () => {
  await Promise.all(Object.keys((await storedState()).state).map(remove));
});
afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

function openStore(): Promise<Service> {
  return openWriter(readConfig({ flags: { dataDir, plugins: [PERSON_PLUGIN] }, env: {}, cwd: '/' }), SILENT);
}

const watch = (query = ''): Promise<OpenStream> => openStream(`${daemon.url}${PERSONS}?watch=true${query}`);

async function create(name: string): Promise<void> {
  await daemon.send('POST', PERSONS, { body: person(name) });
}

async function remove(name: string): Promise<void> {
  await daemon.send('DELETE', `${PERSONS}/${name}`);
}

/** Another process that writes persons to the store, until the answer is called. */
async function churn(): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [CHURN, dataDir, PERSON_PLUGIN, String((seed % 1000) + 1)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
}

const revisionOf = ({ object }: StreamEvent): number => Number(object.metadata.resourceVersion);

/** The names and revisions of the objects that a watch leads to. */
function stateAfter(events: readonly StreamEvent[]): Record<string, string> {
  const state = new Map<string, string>();
  for (const { type, object } of events) {
    const { name = '', resourceVersion = '' } = object.metadata;
    if (type === 'DELETED') state.delete(name);
    else state.set(name, resourceVersion);
  }
  return Object.fromEntries([...state].sort());
}

async function storedState(): Promise<{ readonly revision: number; readonly state: Record<string, string> }> {
  const list = (await daemon.get(PERSONS)).json();
  const state: Record<string, string> = {};
  for (const { metadata } of list.items) state[String(metadata.name)] = String(metadata.resourceVersion);
  return { revision: Number(list.metadata.resourceVersion), state };
}

describe('a watch of a daemon', () => {
  it(`tells what a process on the same store writes: ordered, complete, each once (seed ${seed})`, async () => {
    const whole = await watch();
    const stop = await churn();
    for (let i = 0; i < 50; i++) await create(`over-http-${i}`);
    // Begins in the middle of it, with the objects there are.
    const late = await watch();
    const churned = late.text.split('"name":"churn-').length;
    await expect.poll(() => late.text.split('"name":"churn-').length).toBeGreaterThan(churned + 10);
    await stop();
    const { revision, state } = await storedState();
    const last = Math.max(...Object.values(state).map(Number));
    for (const stream of [whole, late]) {
      await expect.poll(() => stateAfter(stream.events())).toEqual(state);
      expect(last).toBeLessThanOrEqual(revision);
    }
    const revisions = whole.events().map(revisionOf);
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
    for (const after of [0, 0.3, 0.9].map((part) => revisions[Math.floor(revisions.length * part)] ?? 0)) {
      const resumed = await watch(`&resourceVersion=${after}`);
      const rest = whole.events().filter((event) => revisionOf(event) > after);
      expect((await resumed.take(rest.length)).map(streamText)).toEqual(rest.map(streamText));
      resumed.destroy();
    }
    whole.destroy();
    late.destroy();
  });

  it('tells a write of a process on the same store soon', async () => {
    const stream = await watch();
    const writer = await openStore();
    await writer.create(PERSON_REF, person('ann'));
    const began = performance.now();
    await stream.take(1);
    expect(performance.now() - began).toBeLessThan(5_000);
    await writer.close();
    stream.destroy();
  });

  it('goes on after a restart where it was, and is soon ended cleanly by it', async () => {
    const first = await watch('&fieldSelector=name%3Dann');
    await create('ann');
    await first.take(1);
    const began = performance.now();
    const [exit, isClean] = await Promise.all([daemon.stop(), first.ended]);
    // Requests have nine seconds to end before they are ended.
    expect(performance.now() - began).toBeLessThan(8_000);
    expect([exit.code, isClean]).toEqual([0, true]);
    const position = first.events().at(-1)?.object.metadata.resourceVersion ?? '';
    daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN], port: daemon.port });
    await create('bob');
    const selector = encodeURIComponent('name in (ann,bob)');
    const second = await watch(`&resourceVersion=${position}&fieldSelector=${selector}`);
    expect((await second.take(1)).map((event) => event.object.metadata.name)).toEqual(['bob']);
    second.destroy();
  });
});

describe.each(['store', 'http'])('xsvc watch through the %s', (door) => {
  const flags = (): string[] => (door === 'http' ? ['--server', daemon.url] : ['--data-dir', dataDir]);
  const start = (argv: readonly string[]): { readonly io: TestIo; readonly exit: Promise<number> } => {
    const io = testIo({ cwd: '/' });
    return { io, exit: run([...argv, ...flags()], io) };
  };
  const rows = (io: TestIo): string[][] =>
    io.stdout.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(/ {2,}/).slice(0, 2));

  it('prints the list, then a row for each change, until it is interrupted', async () => {
    await create('ann');
    const { io, exit } = start(['get', 'persons', '-w', '--output-watch-events']);
    await expect
      .poll(() => rows(io))
      .toEqual([
        ['EVENT', 'NAME'],
        ['ADDED', 'ann'],
      ]);
    await create('bob');
    await remove('ann');
    await expect
      .poll(() => rows(io).slice(2))
      .toEqual([
        ['ADDED', 'bob'],
        ['DELETED', 'ann'],
      ]);
    io.stop();
    expect(await exit).toBe(0);
    expect(io.stderr.text).toBe('');
  });

  it('watches one object, and prints names, or only changes', async () => {
    await create('ann');
    const one = start(['watch', 'person', 'ann', '-o', 'name']);
    const changes = start(['watch', 'persons', '--watch-only', '-o', 'json']);
    await expect.poll(() => one.io.stdout.text).toBe('persons/ann\n');
    // Nothing is printed when the watch begins, so what shows that it has begun is a change.
    await expect
      .poll(async () => {
        await create('probe');
        await remove('probe');
        return changes.io.stdout.text;
      })
      .toContain('"probe"');
    expect(changes.io.stdout.text).not.toContain('"ann"');
    await create('bob');
    await remove('ann');
    await expect.poll(() => one.io.stdout.text).toBe('persons/ann\npersons/ann\n');
    await expect.poll(() => changes.io.stdout.text).toMatch(/"probe"[^]*"bob"[^]*"ann"[^]*\n\}\n$/);
    for (const { io, exit } of [one, changes]) {
      io.stop();
      expect(await exit).toBe(0);
    }
  });

  it('refuses what makes no sense, and an object that is not there', async () => {
    expect(await start(['get', 'persons', '-w', '--sort', 'spec.age']).exit).toBe(2);
    expect(await start(['get', 'persons', 'a', 'b', '-w']).exit).toBe(2);
    expect(await start(['watch', 'person', 'nobody']).exit).toBe(3);
    expect(await start(['watch', 'nothings']).exit).toBe(3);
  });
});

it('xsvc watch as a separate process stays until it is interrupted, and exits with 0', async () => {
  const program = new URL('../../../bin/xsvc.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, 'watch', 'persons', '-o', 'name', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (part) => (text += String(part)));
  await create('ann');
  await expect.poll(() => text).toBe('persons/ann\n');
  await sleep(100);
  await create('bob');
  await expect.poll(() => text).toBe('persons/ann\npersons/bob\n');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it('xsvc watch goes on by itself when the daemon is started again, and lists again when it must', async () => {
  await create('ann');
  const io = testIo({ cwd: '/' });
  const { port } = daemon;
  const argv = ['watch', 'persons', '-o', 'name', '--field-selector', 'name in (ann,bob,cid)'];
  const exit = run([...argv, '--server', daemon.url], io);
  const names = ['persons/ann\n'];
  const expectNames = () => expect.poll(() => io.stdout.text).toBe(names.join(''));
  await expectNames();
  await daemon.stop();
  daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN], port });
  await create('bob');
  names.push('persons/bob\n');
  await expectNames();
  expect(io.stderr.text).toMatch(/watching again/);

  await daemon.stop();
  const writer = await openStore();
  await writer.create(PERSON_REF, person('cid'));
  await writer.store.history.trim({ count: 0, ageMs: -60_000 });
  await writer.close();
  daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN], port });
  names.push('persons/ann\npersons/bob\npersons/cid\n');
  await expectNames();
  expect(io.stderr.text).toMatch(/too old.*all objects are listed again/);
  io.stop();
  expect(await exit).toBe(0);
});
