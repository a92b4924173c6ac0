import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { passOver } from '../../helpers/passed-over.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const PERSONS = '/apis/demo.example.com/v1alpha1/persons';
const ENGINE = JSON.stringify(new URL('../../../dist/engines/lmdb/engine.js', import.meta.url).href);

async function create(daemon: DaemonProcess, name: string): Promise<number> {
  const body = {
    apiVersion: 'demo.example.com/v1alpha1',
    kind: 'Person',
    metadata: { name },
    spec: { name, age: 3 },
  };
  return (await daemon.send('POST', PERSONS, { body })).status;
}

/** The first part of a stream. */
async function firstText({ body }: Response): Promise<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  return (await reader?.read())?.value ?? '';
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

/** A directory with a plugin whose endpoint never ends. */
function spinner(): string {
  const plugins = temporaryDirectory();
  const directory = path.join(plugins, 'spinner');
  mkdirSync(directory);
  const manifest =
    'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: spinner }\nspec: { version: 1.0.0 }\n';
  writeFileSync(path.join(directory, 'plugin.yaml'), manifest);
  writeFileSync(path.join(directory, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    path.join(directory, 'index.js'),
    `import { BasePlugin, RouteBuilder } from 'xsvc';
     function spinForEver() {
       for (let i = 0; ; i++) JSON.parse('[1]');
     }
     export const spinning = {
       groupVersion: () => 'spin.example.com/v1',
       endpoint: () => RouteBuilder.route().GET('/spin', () => spinForEver()).build(),
     };
     export default class extends BasePlugin {}`,
  );
  return plugins;
}

describe('a daemon whose event loop stands', () => {
  const wrapper = ['env', 'XSVC_WATCHDOG_MS=3000'];

  it('ends with exit code 6 and says where it stood', async () => {
    const daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins: [spinner()], wrapper });
    await daemon.get('/apis/spin.example.com/v1/spin').catch(() => undefined);
    expect(await daemon.exited).toEqual({ code: 6, signal: null });
    expect(daemon.output.stderr).toContain('the process was unresponsive for 3s');
    expect(daemon.output.stderr).toContain('spinForEver');
  });

  it('is replaced where it is one of several workers', async () => {
    const flags = ['--workers', '2'];
    const daemon = await startDaemonProcess({
      dataDir: temporaryDirectory(),
      plugins: [spinner()],
      wrapper,
      flags,
    });
    await daemon.get('/apis/spin.example.com/v1/spin').catch(() => undefined);
    await expect.poll(() => daemon.output.stderr).toContain('is serving again');
    expect(daemon.output.stderr).toContain('spinForEver');
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });

  it('is left alone while a debugger may have stopped it', async () => {
    const debugged = [...wrapper, 'NODE_OPTIONS=--inspect=127.0.0.1:0'];
    const plugins = [spinner()];
    const daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins, wrapper: debugged });
    // It has to have said once that it is debugged, which it does at each beat: every 0.75 s.
    await sleep(8_000);
    const gone = AbortSignal.timeout(8_000);
    await fetch(`${daemon.url}/apis/spin.example.com/v1/spin`, { signal: gone }).catch(() => undefined);
    daemon.signal('SIGKILL');
    expect(await daemon.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(daemon.output.stderr).not.toContain('unresponsive');
  });

  it('does not count as one when it was stopped and goes on', async () => {
    const daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins: [], wrapper });
    daemon.signal('SIGSTOP');
    await sleep(8_000);
    daemon.signal('SIGCONT');
    await sleep(2_000);
    expect((await daemon.get('/readyz')).status).toBe(200);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('a commit that was passed over', () => {
  it.each([[[]], [['--workers', '2']]])(
    'stops no daemon on the directory, with watches or without (%s)',
    async (flags) => {
      const dataDir = temporaryDirectory();
      const first = await startDaemonProcess({ dataDir, flags });
      const second = await startDaemonProcess({ dataDir });
      for (const name of ['a', 'b', 'c']) expect(await create(first, name)).toBe(201);
      const newest = (await first.get(`${PERSONS}/c`)).text;
      const before = Number(/"resourceVersion":"(\d+)"/.exec(newest)?.[1]) - 1;
      for (const daemon of [first, second]) {
        passOver(dataDir);
        const abort = new AbortController();
        const watch = await fetch(`${daemon.url}${PERSONS}?watch=true&resourceVersion=${before}`, {
          signal: abort.signal,
        });
        expect(watch.status).toBe(200);
        expect((await daemon.get('/livez')).status).toBe(200);
        expect(await firstText(watch)).toContain('"name":"c"');
        abort.abort();
        expect((await daemon.get(`${PERSONS}/c`)).status).toBe(200);
        expect(await create(daemon, `after-${daemon.pid}`)).toBe(201);
        expect((await daemon.get('/readyz')).status).toBe(200);
      }
      for (const daemon of [second, first]) expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    },
  );
});

describe('a process that is stopped while it holds the lock of writers', () => {
  const WRITER = `
    const { openLmdb } = await import(${ENGINE});
    const engine = await openLmdb(process.argv[1]);
    await engine.commit(() => {
      console.log('stopped');
      process.kill(process.pid, 'SIGSTOP');
    });
    await engine.close();`;

  async function stopWriter(dataDir: string): Promise<number> {
    const args = ['--input-type=module', '-e', WRITER, dataDir];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(createInterface(child.stdout), 'line');
    return child.pid ?? 0;
  }

  it('is named by /readyz and refused writes, and all goes on when it does', async () => {
    const dataDir = temporaryDirectory();
    const daemon = await startDaemonProcess({ dataDir });
    const pid = await stopWriter(dataDir);
    try {
      expect(await create(daemon, 'refused')).toBe(503);
      const { status, text } = await daemon.get('/readyz');
      expect(status).toBe(503);
      expect(text).toContain(`process ${pid} is stopped and holds the lock`);
      expect((await daemon.get('/livez')).status).toBe(200);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until(async () => (await daemon.get('/readyz')).status === 200);
    expect((await daemon.get(`${PERSONS}/refused`)).status).toBe(404);
    expect(await create(daemon, 'after')).toBe(201);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });

  it.each([[[]], [['--workers', '2']]])('keeps no daemon from ending (%s)', async (flags) => {
    const dataDir = temporaryDirectory();
    const daemon = await startDaemonProcess({ dataDir, flags });
    const pid = await stopWriter(dataDir);
    try {
      await create(daemon, 'refused');
      const exit = await daemon.stop();
      expect(exit).toEqual(flags.length > 0 ? { code: 0, signal: null } : { code: null, signal: 'SIGTERM' });
    } finally {
      process.kill(pid, 'SIGKILL');
    }
    // It fails where something disagrees.
    execFileSync(process.execPath, ['bin/xsvc.js', 'check', '--data-dir', dataDir]);
  });
});
