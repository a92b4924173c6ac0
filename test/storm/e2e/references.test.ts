import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { putFiles, runCli } from '../../helpers/cli.js';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { ARTICLES, line, putPress, WRITERS } from '../../helpers/press.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const COUNT = 100_000;

afterEach(killDaemons);
afterAll(removeDirectories);

/** A store in which so many articles refer to the writer ann. */
async function storeOf(count: number, field: 'owner' | 'writer' = 'owner'): Promise<string> {
  const cwd = temporaryDirectory();
  await putPress(cwd);
  const articles = Array.from({ length: count }, (_, i) => line('Article', `a${i}`, { [field]: 'ann' }));
  await putFiles(cwd, { 'all.ndjson': [line('Writer', 'ann'), ...articles].join('') });
  expect(await runCli(['import', '-f', 'all.ndjson'], { cwd })).toMatchObject({ code: 0 });
  return cwd;
}

function serve(cwd: string): Promise<DaemonProcess> {
  return startDaemonProcess({
    dataDir: path.join(cwd, '.xsvc'),
    plugins: [path.join(cwd, 'plugins')],
  });
}

async function totalOf(daemon: DaemonProcess): Promise<number> {
  return Number((await daemon.get(`${ARTICLES}?size=1`)).json().total);
}

async function residentMiB(daemon: DaemonProcess): Promise<number> {
  const { text } = await daemon.get('/metrics');
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 2 ** 20;
}

describe(`${COUNT} objects that go with one`, () => {
  it('go while others are answered, in little memory', async () => {
    const cwd = await storeOf(COUNT);
    const daemon = await serve(cwd);
    await totalOf(daemon);
    const before = await residentMiB(daemon);
    const began = performance.now();
    const { status, text } = await daemon.send('DELETE', `${WRITERS}/ann`);
    const answeredMs = performance.now() - began;
    expect([status, text]).toEqual([200, expect.stringContaining('xsvc.platform.run/cascade')]);
    const waits: number[] = [];
    let most = 0;
    for (;;) {
      const asked = performance.now();
      const answer = await daemon.get(`${WRITERS}/ann`);
      waits.push(performance.now() - asked);
      most = Math.max(most, await residentMiB(daemon));
      if (answer.status === 404) break;
      await sleep(20);
    }
    const lastedMs = performance.now() - began;
    expect(await totalOf(daemon)).toBe(0);
    waits.sort((a, b) => a - b);
    const p99 = waits[Math.floor(waits.length * 0.99)] ?? 0;
    console.info(
      `${COUNT} in ${(lastedMs / 1000).toFixed(1)} s, answered after ${answeredMs.toFixed(0)} ms; reads p99 ${p99.toFixed(1)} ms; ` +
        `${before.toFixed(0)} MiB before, ${most.toFixed(0)} MiB at most`,
    );
    // A busy machine makes all of it longer.
    expect(answeredMs).toBeLessThan(lastedMs / 10);
    expect(p99).toBeLessThan(lastedMs / 50);
    expect(most - before).toBeLessThan(400);
    await daemon.stop();
  });
});

describe(`${COUNT} objects that keep one`, () => {
  it('are counted exactly while others are answered', async () => {
    const cwd = await storeOf(COUNT, 'writer');
    const daemon = await serve(cwd);
    await totalOf(daemon);
    const waits: number[] = [];
    const began = performance.now();
    const ended = new AbortController();
    const deletion = daemon.send('DELETE', `${WRITERS}/ann`).finally(() => ended.abort());
    while (!ended.signal.aborted) {
      const asked = performance.now();
      await daemon.get(`${WRITERS}/ann`);
      waits.push(performance.now() - asked);
    }
    const { status, text } = await deletion;
    expect([status, text]).toEqual([409, expect.stringContaining(`${COUNT} objects refer to it`)]);
    const lastedMs = performance.now() - began;
    const longestMs = Math.max(...waits);
    console.info(
      `counted in ${lastedMs.toFixed(0)} ms, ${waits.length} reads, the longest ${longestMs.toFixed(0)} ms`,
    );
    // Counted at once, one read would wait for nearly all of it.
    expect(longestMs).toBeLessThan(lastedMs / 2);
    expect(await totalOf(daemon)).toBe(COUNT);
    await daemon.stop();
  });
});

describe('the deletion of dependents with an object', () => {
  it('goes on in the daemon that leads after a kill, and in a command', async () => {
    const cwd = await storeOf(20_000);
    for (let round = 0; round < 3; round++) {
      const daemon = await serve(cwd);
      if (round === 0) await daemon.send('DELETE', `${WRITERS}/ann`);
      const before = await totalOf(daemon);
      await expect.poll(() => totalOf(daemon), { interval: 10 }).toBeLessThan(before);
      daemon.signal('SIGKILL');
      await daemon.exited;
    }
    const dataDir = path.join(cwd, '.xsvc');
    const flags = ['--data-dir', dataDir, '--plugins', path.join(cwd, 'plugins')];
    const left = await runProgram(['get', 'writers', '-o', 'name', ...flags]);
    expect(left.stdout).toBe('writers/ann\n');
    // Whatever it writes.
    const wrote = await runProgram(['label', 'plugins', 'press', 'a/b=c', ...flags]);
    expect(wrote).toMatchObject({ code: 0, stderr: '' });
    expect((await runProgram(['get', 'writers,articles', '-o', 'name', ...flags])).stdout).toBe('');
    expect(await runProgram(['check', ...flags])).toMatchObject({ code: 0 });
  });
});
