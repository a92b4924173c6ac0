import { request } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFiles } from '../helpers/cli.js';
import { childrenOf, killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const PLUGIN = '/apis/plugin.platform.run/v1alpha1/plugins/talker';
const SAY = '/apis/plugin.api.platform.run/v1alpha1/plugins/talker/say';

/** Each process logs that it began, and what it is asked to say. */
const TALKER = {
  'plugin.yaml':
    'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: talker }\nspec: { version: 1.0.0 }\n',
  'index.js': `import { BasePlugin, RouteBuilder } from 'xsvc';
export default class extends BasePlugin {
  start() { this.ctx.logger.info('began in ' + process.pid); }
}
export class Say {
  constructor(ctx) { this.ctx = ctx; }
  groupVersion() { return 'v1alpha1'; }
  endpoint() {
    return RouteBuilder.route().GET('/say', ({ query }) => {
      if (query.fails) throw new Error('a secret of ann');
      this.ctx.logger.info(query.text + ' in ' + process.pid);
      return { pid: process.pid };
    }).build();
  }
}
`,
};

let daemon: DaemonProcess;

beforeAll(async () => {
  const plugin = temporaryDirectory();
  await putFiles(plugin, TALKER);
  daemon = await startDaemonProcess({
    dataDir: path.join(temporaryDirectory(), 'data'),
    plugins: [plugin],
    flags: ['--workers', '2'],
  });
});

afterAll(() => {
  killDaemons();
  removeDirectories();
});

/** Each request has a separate connection, so that requests go to all workers. */
async function get(target: string): Promise<string> {
  return (await fetch(`${daemon.url}${target}`, { headers: { Connection: 'close' } })).text();
}

/** Says a text until each of these processes has said it. */
async function sayInAll(text: string, pids: readonly number[]): Promise<void> {
  const said = new Set<number>();
  await expect
    .poll(
      async () => {
        said.add((JSON.parse(await get(`${SAY}?text=${text}`)) as { readonly pid: number }).pid);
        return pids.every((pid) => said.has(pid));
      },
      { interval: 5, timeout: 20_000 },
    )
    .toBe(true);
}

describe('the log of a plugin in several workers', () => {
  it('has the lines of all of them in the order of their times, from whichever answers', async () => {
    const pids = childrenOf(daemon.pid);
    expect(pids).toHaveLength(2);
    await sayInAll('hello', pids);
    for (let i = 0; i < 6; i++) {
      const lines = (await get(`${PLUGIN}/log?tail=1000`)).trim().split('\n');
      for (const pid of pids) {
        expect(lines.filter((line) => line.endsWith(`began in ${pid}`))).toHaveLength(1);
        expect(lines.some((line) => line.endsWith(`hello in ${pid}`))).toBe(true);
      }
      const times = lines.map((line) => line.slice(0, 24));
      expect(times).toEqual([...times].sort());
    }
    expect((await get(`${PLUGIN}/log?tail=2`)).trim().split('\n')).toHaveLength(2);
  });

  it('is followed in all of them, each line once', async () => {
    const pids = childrenOf(daemon.pid);
    const read = follow(`${PLUGIN}/log?tail=0&follow=true`);
    await read.opened;
    await sayInAll('followed', pids);
    await get(`${SAY}?text=end`);
    await expect.poll(() => read.text(), { timeout: 10_000 }).toMatch(/end in \d+\n/);
    for (const pid of pids) expect(read.text()).toContain(`followed in ${pid}\n`);
    expect(read.text()).not.toContain('began');
    const lines = read.text().trim().split('\n');
    const said = (await get(`${PLUGIN}/log?tail=1000`)).trim().split('\n');
    expect(lines).toHaveLength(said.filter((line) => / (followed|end) in /.test(line)).length);
    read.leave();
  });

  it('continues with the lines of a worker that replaces another one', async () => {
    const [first = 0, second = 0] = childrenOf(daemon.pid);
    process.kill(second, 'SIGKILL');
    await expect
      .poll(() => childrenOf(daemon.pid).filter((pid) => pid !== second), { timeout: 30_000 })
      .toHaveLength(2);
    const pids = childrenOf(daemon.pid).filter((pid) => pid !== second);
    await expect
      .poll(
        async () => {
          const text = await get(`${PLUGIN}/log?tail=1000`).catch(() => '');
          return pids.every((pid) => text.includes(`began in ${pid}\n`));
        },
        { timeout: 30_000 },
      )
      .toBe(true);
    const text = await get(`${PLUGIN}/log?tail=1000`);
    expect(text).toContain(`began in ${first}\n`);
    expect(text).not.toContain(`began in ${second}\n`);
  });
});

describe('the log of the service in several workers', () => {
  it('has the failures of all of them, without what an error says', async () => {
    interface Entry {
      readonly time: string;
      readonly message: string;
    }
    const read = async (): Promise<readonly Entry[]> =>
      (JSON.parse(await get('/metrics/log')) as { readonly entries: readonly Entry[] }).entries;
    for (let i = 0; i < 8; i++) await get(`${SAY}?fails=yes`);
    await expect
      .poll(async () => (await read()).filter(({ message }) => message.startsWith(`get ${SAY}`)).length)
      .toBe(8);
    const entries = await read();
    expect(JSON.stringify(entries)).not.toContain('ann');
    expect(entries.map(({ time }) => time)).toEqual(entries.map(({ time }) => time).sort());
  });
});

describe('workers that stop', () => {
  it('end those that follow at once', async () => {
    const read = follow(`${PLUGIN}/log?follow=true`);
    await read.opened;
    const { code } = await daemon.stop();
    expect(code).toBe(0);
    await read.ended;
  });
});

interface FollowedLog {
  readonly opened: Promise<void>;
  readonly ended: Promise<void>;
  readonly text: () => string;
  readonly leave: () => void;
}

function follow(target: string): FollowedLog {
  let text = '';
  const req = request({ host: '127.0.0.1', port: daemon.port, path: target });
  const opened = new Promise<void>((resolve) => req.once('response', () => resolve()));
  const ended = new Promise<void>((resolve) => req.once('close', () => resolve()));
  req.on('response', (res) => {
    res.on('data', (part) => (text += String(part)));
    res.on('error', () => undefined);
  });
  req.on('error', () => undefined);
  req.end();
  return { opened, ended, text: () => text, leave: () => void req.destroy() };
}
