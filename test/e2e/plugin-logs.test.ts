import { request } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFiles } from '../helpers/cli.js';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import type { HttpAnswer } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const PLUGINS = '/apis/plugin.platform.run/v1alpha1/plugins';
const ACCESS = '/apis/access.platform.run/v1alpha1';
const SECRET = 'sesame-opens';

const manifest = (name: string): string =>
  `apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: ${name} }\nspec: { version: 1.0.0 }\n`;

/** Logs what its endpoint is asked to. */
const TALKER = `import { BasePlugin, RouteBuilder } from 'xsvc';
export default class extends BasePlugin {
  static config = class {
    static schema = { type: 'object', required: ['url', 'key'], properties: {
      url: { type: 'string' }, count: { type: 'integer' }, key: { type: 'string', format: 'password' } } };
  };
  start() { this.ctx.logger.info('began', { with: this.ctx.config?.url }); console.warn('by console'); }
}
export class Say {
  constructor(ctx) { this.ctx = ctx; }
  groupVersion() { return 'v1alpha1'; }
  endpoint() {
    return RouteBuilder.route().GET('/say', ({ query }) => {
      for (let i = 0; i < Number(query.times); i++) this.ctx.logger.info(query.text + ' ' + i);
      return {};
    }).build();
  }
}
`;

let daemon: DaemonProcess;
let token = '';
let guest = '';

const as = (who: string) => ({ headers: { authorization: `Bearer ${who}` } });
const get = (target: string, who = token): Promise<HttpAnswer> => daemon.send('GET', target, as(who));
const say = (text: string, times = 1): Promise<HttpAnswer> =>
  get(`/apis/plugin.api.platform.run/v1alpha1/plugins/talker/say?text=${text}&times=${times}`);

async function create(target: string, body: object): Promise<void> {
  const { status, text } = await daemon.send('POST', target, { ...as(token), body });
  expect([status, text]).toEqual([201, text]);
}

beforeAll(async () => {
  const directory = temporaryDirectory();
  await putFiles(directory, {
    'plugins/talker/plugin.yaml': manifest('talker'),
    'plugins/talker/index.js': TALKER,
    'plugins/broken/plugin.yaml': manifest('broken'),
    'plugins/broken/index.js': 'throw new Error("not today");\n',
    'xsvc.yaml': `pluginConfig:\n  talker: { url: 'https://a.example', key: ${SECRET}, other: ${SECRET} }\n`,
  });
  daemon = await startDaemonProcess({
    dataDir: path.join(directory, 'data'),
    plugins: [path.join(directory, 'plugins')],
    flags: ['--auth', 'token', '--config', path.join(directory, 'xsvc.yaml')],
  });
  token = /shown only now: (\S+)/.exec(daemon.output.stdout)?.[1] ?? '';
  const { stdout } = await runProgram([
    'token',
    'create',
    '--user',
    'guest',
    '--server',
    daemon.url,
    '--token',
    token,
  ]);
  guest = stdout.trim().split(/\s/).at(-1) ?? '';
});

afterAll(() => {
  killDaemons();
  removeDirectories();
});

describe('the log of a plugin over HTTP', () => {
  it('has the lines of this plugin, also those of console', async () => {
    const { status, headers, text } = await get(`${PLUGINS}/talker/log`);
    expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'nosniff',
    ]);
    expect(text).toMatch(/Z INFO began with=https:\/\/a\.example\n/);
    expect(text).toMatch(/Z WARN by console\n/);
    expect(text).not.toContain('not today');
    expect((await get(`${PLUGINS}/broken/log`)).text).toContain('not today');
  });

  it('is cut to the wanted number of lines', async () => {
    await say('number', 5);
    const { text } = await get(`${PLUGINS}/talker/log?tail=2`);
    expect(text).toMatch(/^\S+ INFO number 3\n\S+ INFO number 4\n$/);
    expect((await get(`${PLUGINS}/talker/log?tail=0`)).text).toBe('');
    for (const tail of ['-1', 'all', '1e3', '', '100001'])
      expect([tail, (await get(`${PLUGINS}/talker/log?tail=${tail}`)).status]).toEqual([tail, 400]);
    expect((await get(`${PLUGINS}/talker/log?follow=perhaps`)).status).toBe(400);
    expect((await get(`${PLUGINS}/nobody/log`)).status).toBe(404);
    expect((await daemon.send('HEAD', `${PLUGINS}/talker/log?follow=true`, as(token))).status).toBe(200);
  });

  it('is followed, and ends for nobody else when a client leaves', async () => {
    const read = follow(`${PLUGINS}/talker/log?tail=1&follow=true`);
    const other = follow(`${PLUGINS}/talker/log?tail=0&follow=true`);
    await Promise.all([read.opened, other.opened]);
    await say('followed');
    await expect.poll(() => read.text()).toContain('followed 0');
    read.leave();
    await say('afterwards');
    await expect.poll(() => other.text()).toContain('afterwards 0');
    other.leave();
  });

  it('keeps no memory for a client that does not read, which gets what is kept', async () => {
    const slow = follow(`${PLUGINS}/talker/log?tail=0&follow=true`);
    await slow.opened;
    slow.pause();
    await say('x'.repeat(500), 20_000);
    await say('last');
    slow.resume();
    await expect.poll(() => slow.text(), { timeout: 10_000 }).toContain('last 0');
    expect(slow.text()).toMatch(/… \d+ lines were left out\n/);
    slow.leave();
  });

  it('needs the right to get plugins/log', async () => {
    expect((await daemon.get(`${PLUGINS}/talker/log`)).status).toBe(401);
    const { status, text } = await get(`${PLUGINS}/talker/log`, guest);
    expect([status, text]).toEqual([403, expect.stringContaining('plugins/log')]);
    const rules = [{ verbs: ['get'], apiGroups: ['plugin.platform.run'], resources: ['plugins/log'] }];
    await create(`${ACCESS}/roles`, { metadata: { name: 'log-reader' }, rules });
    const roleRef = { kind: 'Role', name: 'log-reader' };
    const subjects = [{ kind: 'User', name: 'guest' }];
    await create(`${ACCESS}/rolebindings`, { metadata: { name: 'guest-reads' }, roleRef, subjects });
    expect((await get(`${PLUGINS}/talker/log?tail=1`, guest)).status).toBe(200);
    expect((await get(`${PLUGINS}/talker/config`, guest)).status).toBe(403);
    expect((await get(`${PLUGINS}/talker`, guest)).status).toBe(403);
  });

  it('is printed by the command line, and a store without a service says why not', async () => {
    const flags = ['--server', daemon.url, '--token', token];
    const printed = await runProgram(['plugin', 'logs', 'broken', '--tail', '1', ...flags]);
    expect([printed.code, printed.stdout]).toEqual([0, expect.stringContaining('not today')]);
    const unknown = await runProgram(['plugin', 'logs', 'nobody', ...flags]);
    expect([unknown.code, unknown.stderr]).toEqual([3, 'error: no plugin is named "nobody"\n']);
    const offline = await runProgram(['plugin', 'logs', 'talker', '--data-dir', temporaryDirectory()]);
    expect([offline.code, offline.stderr]).toEqual([
      2,
      expect.stringContaining('in the memory of a running service'),
    ]);
  });
});

describe('the configuration of a plugin over HTTP', () => {
  it('has the declared values and no secrets', async () => {
    const answer = await get(`${PLUGINS}/talker/config`);
    expect(answer.text).not.toContain(SECRET);
    expect(answer.json()).toMatchObject({
      kind: 'PluginConfiguration',
      metadata: { name: 'talker' },
      schema: { required: ['url'], properties: { url: { type: 'string' }, count: { type: 'integer' } } },
      value: { url: 'https://a.example' },
      secrets: [{ path: 'key', isSet: true }],
    });
  });

  it('has no values without a schema', async () => {
    expect((await get(`${PLUGINS}/broken/config`)).json()).toEqual({
      apiVersion: 'plugin.platform.run/v1alpha1',
      kind: 'PluginConfiguration',
      metadata: { name: 'broken' },
      secrets: [],
    });
    expect((await get(`${PLUGINS}/nobody/config`)).status).toBe(404);
  });
});

describe('a service that stops', () => {
  it('ends those that follow at once', async () => {
    const read = follow(`${PLUGINS}/talker/log?follow=true`);
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
  readonly pause: () => void;
  readonly resume: () => void;
  readonly leave: () => void;
}

function follow(target: string): FollowedLog {
  let text = '';
  const req = request({ host: '127.0.0.1', port: daemon.port, path: target, ...as(token) });
  const opened = new Promise<void>((resolve) => req.once('response', () => resolve()));
  const ended = new Promise<void>((resolve) => req.once('close', () => resolve()));
  let pause = (): void => undefined;
  let resume = (): void => undefined;
  req.on('response', (res) => {
    res.on('data', (part) => (text += String(part)));
    res.on('error', () => undefined);
    pause = () => void res.pause();
    resume = () => void res.resume();
  });
  req.on('error', () => undefined);
  req.end();
  return {
    opened,
    ended,
    text: () => text,
    pause: () => pause(),
    resume: () => resume(),
    leave: () => req.destroy(),
  };
}
