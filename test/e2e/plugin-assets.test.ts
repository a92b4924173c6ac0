import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { temporaryDirectory } from '../helpers/store.js';

const ASSETS = '/plugins/shop/assets';
const PLUGIN = '/apis/plugin.platform.run/v1alpha1/plugins/shop';
const SECRET = 'not for browsers';

const plugins = temporaryDirectory();
let daemon: DaemonProcess;

beforeAll(async () => {
  const shop = path.join(plugins, 'shop');
  const files: Readonly<Record<string, string>> = {
    'plugin.yaml':
      'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: shop }\nspec: { version: 1.0.0 }\n',
    'index.js': "import { BasePlugin } from 'xsvc';\nexport default class extends BasePlugin {}\n",
    'secret.txt': SECRET,
    'public-not/file.txt': SECRET,
    'public/index.html': '<h1>Shop</h1>',
    'public/app.js': 'console.log(1)',
    'public/a b/ü.css': 'p{}',
    'public/sub/index.html': '<h1>Sub</h1>',
    'public/.hidden': SECRET,
    'public/empty/.keep': '',
    'public/away/.keep': '',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(shop, name)), { recursive: true });
    writeFileSync(path.join(shop, name), text);
  }
  symlinkSync('../secret.txt', path.join(shop, 'public/link.txt'));
  symlinkSync('../public-not', path.join(shop, 'public/linked'));
  symlinkSync('../../secret.txt', path.join(shop, 'public/away/index.html'));
  execFileSync('mkfifo', [path.join(shop, 'public/pipe')]);
  symlinkSync('app.js', path.join(shop, 'public/same.js'));
  daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins: [plugins] });
});

afterAll(() => killDaemons());

/** The path goes out as it is written. */
function raw(target: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(daemon.port, '127.0.0.1');
    let text = '';
    socket.on('data', (part) => (text += String(part)));
    socket.on('close', () => resolve(text));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  });
}

describe('the files of a plugin', () => {
  it.each([
    ['/', 'text/html; charset=utf-8', '<h1>Shop</h1>'],
    ['/index.html', 'text/html; charset=utf-8', '<h1>Shop</h1>'],
    ['/app.js?v=2', 'text/javascript; charset=utf-8', 'console.log(1)'],
    ['/a%20b/%C3%BC.css', 'text/css; charset=utf-8', 'p{}'],
    ['/sub/', 'text/html; charset=utf-8', '<h1>Sub</h1>'],
    ['/same.js', 'text/javascript; charset=utf-8', 'console.log(1)'],
  ])('are served with their types, in a sandbox: %s', async (file, type, text) => {
    const answer = await daemon.get(ASSETS + file);
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, type, text]);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['content-security-policy']).toBe('sandbox allow-scripts allow-forms');
    const head = await daemon.send('HEAD', ASSETS + file);
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(text.length)]);
  });

  it('are not sent again to a client that has them', async () => {
    const { headers } = await daemon.get(`${ASSETS}/app.js`);
    const again = await daemon.send('GET', `${ASSETS}/app.js`, {
      headers: { 'if-none-match': String(headers.etag) },
    });
    expect([again.status, again.text]).toEqual([304, '']);
    expect(headers['cache-control']).toBe('no-cache');
  });

  it.each([
    ['bytes=0-6', 206, 'console'],
    ['bytes=-3', 206, '(1)'],
    ['bytes=99-', 200, 'console.log(1)'],
    ['bytes=5-2', 200, 'console.log(1)'],
    ['lines=1-2', 200, 'console.log(1)'],
  ])('are sent in part, or as a whole where there is no such part: %s', async (range, status, text) => {
    const answer = await daemon.send('GET', `${ASSETS}/app.js`, { headers: { range } });
    expect([answer.status, answer.text]).toEqual([status, text]);
    expect(answer.headers['content-range'] === undefined).toBe(status === 200);
    expect(answer.headers['content-security-policy']).toBe('sandbox allow-scripts allow-forms');
  });

  it.each([ASSETS, `${ASSETS}/sub`])('lead from a directory to its page: %s', async (target) => {
    const { status, headers } = await daemon.get(target);
    expect([status, headers.location]).toEqual([301, `${target}/`]);
  });

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e%2fsecret.txt',
    '/sub/../../secret.txt',
    '/sub/%2e%2e/../secret.txt',
    '/..%5csecret.txt',
    '/../public-not/file.txt',
    '/link.txt',
    '/linked/file.txt',
    '//../secret.txt',
    '/.hidden',
    '/app.js%00.html',
    '/nothing.js',
    '/empty/',
    '/away/',
    '/pipe',
  ])('do not lead out of their directory: %s', async (file) => {
    const answer = await raw(ASSETS + file);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).not.toContain(SECRET);
  });

  it('cannot be written, and are errors of one shape where there are none', async () => {
    const post = await daemon.send('POST', `${ASSETS}/app.js`);
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
    for (const target of ['/plugins/other/assets/app.js', '/plugins/shop/index.js', `${ASSETS}x/app.js`])
      expect((await daemon.get(target)).json()).toMatchObject({ kind: 'Status', code: 404 });
    expect(await raw(`${ASSETS}/%E0%A4%A`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('are there only while the plugin is started', async () => {
    const switched = async (enabled: boolean): Promise<void> => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      const { status } = await daemon.send('PATCH', PLUGIN, { headers, body: { spec: { enabled } } });
      expect(status).toBe(200);
    };
    const status = async (): Promise<number> => (await daemon.get(`${ASSETS}/app.js`)).status;
    await switched(false);
    await expect.poll(status).toBe(404);
    await switched(true);
    await expect.poll(status).toBe(200);
  });

  it('need no token, for a browser could not send one', async () => {
    const dataDir = temporaryDirectory();
    const closed = await startDaemonProcess({ dataDir, plugins: [plugins], flags: ['--auth', 'token'] });
    const answers = [`${ASSETS}/app.js`, `${ASSETS}/../secret.txt`, PLUGIN, '/plugins/shop'];
    const codes = await Promise.all(answers.map(async (target) => (await closed.get(target)).status));
    expect(codes).toEqual([200, 404, 401, 401]);
    expect((await closed.send('POST', `${ASSETS}/app.js`)).status).toBe(401);
    await closed.stop();
    expect((await runProgram(['check', '--data-dir', dataDir])).code).toBe(0);
  });
});
