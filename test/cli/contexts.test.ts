import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli, type CliResult } from '../helpers/cli.js';
import { EXAMPLE_PLUGINS } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

/** A server that only notes the credentials that it gets. */
interface Listener {
  readonly url: string;
  readonly heard: (string | undefined)[];
  readonly close: () => Promise<void>;
}

async function listen(): Promise<Listener> {
  const heard: (string | undefined)[] = [];
  const server = createServer((req, res) => {
    heard.push(req.headers.authorization);
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"version":"1.2.3"}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${address.port}`, heard, close };
}

let own: Listener;
let other: Listener;
beforeAll(async () => {
  own = await listen();
  other = await listen();
});
let home = '';
let file = '';
beforeEach(() => {
  home = temporaryDirectory();
  file = path.join(home, '.config', 'xsvc', 'config.yaml');
  own.heard.length = 0;
  other.heard.length = 0;
});
afterAll(async () => {
  await own.close();
  await other.close();
  removeDirectories();
});

function xsvc(line: string, env: Readonly<Record<string, string>> = {}): Promise<CliResult> {
  return runCli(line.split(' '), { cwd: home, env: { HOME: home, ...env } });
}

async function useProd(token = 'secret'): Promise<void> {
  await xsvc(`config set-context prod --server ${own.url} --token ${token} --namespace shop`);
  expect(await xsvc('config use-context prod')).toMatchObject({ code: 0 });
}

describe('contexts', () => {
  it('are kept in a file that only the owner can read, listed without tokens, changed and deleted', async () => {
    expect(await xsvc('config get-contexts')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringMatching(/no contexts/) as string,
    });
    const created = await xsvc(`config set-context prod --server ${own.url} --token secret --namespace shop`);
    expect(created).toMatchObject({ code: 0, out: 'context "prod" created\n' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await xsvc(`config set-context test --server ${other.url}`);
    expect(await xsvc('config current-context')).toMatchObject({ code: 3, out: '' });
    expect(await xsvc('config use-context prod')).toMatchObject({ code: 0 });
    expect(await xsvc('config current-context')).toEqual({ code: 0, out: 'prod\n', err: '' });
    const { out } = await xsvc('config get-contexts');
    expect(out).toMatch(
      /^CURRENT +NAME +SERVER +NAMESPACE\n\* +prod +http\S+ +shop\n +test +http\S+ +<none>\n$/,
    );
    expect(out).not.toContain('secret');
    expect((await xsvc('config get-contexts -o name')).out).toBe('prod\ntest\n');
    expect(await xsvc('config set-context prod --token renewed')).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toMatch(/server: .*\n {4}token: renewed\n {4}namespace: shop\n/);
    expect(await xsvc('config delete-context prod')).toMatchObject({
      code: 0,
      out: 'context "prod" deleted\n',
    });
    expect(await xsvc('config current-context')).toMatchObject({ code: 3 });
    expect((await xsvc('config get-contexts -o name')).out).toBe('test\n');
    expect(readFileSync(file, 'utf8')).not.toContain('renewed');
  });

  it.each([
    ['config use-context nope', 3],
    ['config delete-context nope', 3],
    ['config set-context prod', 2],
    ['config set-context prod --server example.com', 2],
    ['config set-context prod --server http://ann:pw@127.0.0.1', 2],
    ['config set-context a/b --server http://127.0.0.1:1', 2],
    ['config', 2],
  ])('%s exits with %s and writes nothing', async (line, code) => {
    expect(await xsvc(line)).toMatchObject({ code, out: '' });
    expect(existsSync(file)).toBe(false);
  });

  it('select the server of a command, with their token', async () => {
    await useProd();
    expect(await xsvc('version')).toMatchObject({ code: 0, out: expect.stringContaining(own.url) as string });
    expect(own.heard).toEqual(['Bearer secret']);
  });

  it('send their token to their own server only', async () => {
    await useProd();
    await xsvc(`version --server ${other.url}`);
    await xsvc('version', { XSVC_SERVER: other.url });
    expect(other.heard).toEqual([undefined, undefined]);
    await xsvc(`version --server ${own.url}/`);
    await xsvc('version', { XSVC_SERVER: own.url });
    expect(own.heard).toEqual(['Bearer secret', 'Bearer secret']);
  });

  it('lose the token when they get another server', async () => {
    await useProd();
    const moved = await xsvc(`config set-context prod --server ${other.url}`);
    expect(moved).toMatchObject({
      code: 0,
      err: expect.stringMatching(/token of the earlier server was removed/) as string,
    });
    await xsvc('version');
    expect(other.heard).toEqual([undefined]);
  });

  it('come after flags and the environment', async () => {
    await useProd();
    await xsvc('version --token flag');
    await xsvc('version', { XSVC_TOKEN: 'variable' });
    await xsvc('version', { XSVC_TOKEN: '' });
    expect(own.heard).toEqual(['Bearer flag', 'Bearer variable', undefined]);
    own.heard.length = 0;
    for (const env of [
      { XSVC_SERVER: '' },
      { XSVC_DATA_DIR: 'there' },
      { XSVC_STORE: 'lmdb:there' },
      { XSVC_CONFIG: '' },
    ])
      expect((await xsvc('version', env)).out).not.toContain('server');
    for (const flag of ['--data-dir there', '--store lmdb:there'])
      expect((await xsvc(`version ${flag}`)).out).not.toContain('server');
    expect(own.heard).toEqual([]);
  });

  it('that a command on a store does not use are named', async () => {
    const plugins = path.join(EXAMPLE_PLUGINS, 'person');
    await xsvc(`apply -f ${plugins}/extensions --plugins ${plugins}`);
    await useProd();
    const { code, err } = await xsvc(`model list --plugins ${plugins}`);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('context "prod" is not used: model list works on the store'),
    ]);
    expect((await xsvc(`model list --plugins ${plugins} --data-dir .xsvc`)).err).not.toContain('context');
  });

  it('are read from the file that XSVC_CONFIG names, and a link to it stays a link', async () => {
    const real = path.join(home, 'real.yaml');
    const link = path.join(home, 'link.yaml');
    writeFileSync(real, '', { mode: 0o600 });
    symlinkSync(real, link);
    await xsvc(`config set-context prod --server ${own.url}`, { XSVC_CONFIG: 'link.yaml' });
    expect(existsSync(file)).toBe(false);
    expect(readFileSync(real, 'utf8')).toContain('name: prod');
    expect((await xsvc('config get-contexts -o name', { XSVC_CONFIG: link })).out).toBe('prod\n');
  });
});

describe('a contexts file', () => {
  function put(text: string, mode = 0o600): void {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
    chmodSync(file, mode);
  }

  const VALID = 'currentContext: prod\ncontexts:\n  - name: prod\n    server: http://127.0.0.1:1\n';

  it.each([
    ['torn in a text', 'contexts:\n  - name: "pro', /config\.yaml:2:\d+: /],
    ['torn in a mapping', 'contexts:\n  - name: prod\n    serv', /config\.yaml:\d+/],
    ['torn in a URL', 'contexts:\n  - name: prod\n    server: htt', /config\.yaml:3: server must be the URL/],
    ['a list', '- a\n', /config\.yaml:1: expected/],
    ['without a server', 'contexts:\n  - name: prod\n', /config\.yaml:2: .*needs a server/],
    [
      'with a name twice',
      `${VALID}  - name: prod\n    server: http://127.0.0.1:2\n`,
      /config\.yaml:5: a second/,
    ],
    [
      'with a current context that is not there',
      'currentContext: x\ncontexts: []\n',
      /config\.yaml:1: currentContext/,
    ],
    ['of a later version', `${VALID}    proxy: http://127.0.0.1:3\n`, /config\.yaml:5: unknown field/],
    ['of two documents', `${VALID}---\ncontexts: []\n`, /config\.yaml:\d+: expected one document/],
  ])('%s is refused with its place, and not overwritten', async (_what, text, message) => {
    put(text);
    for (const line of [
      'get persons',
      'config get-contexts',
      'config use-context prod',
      `config set-context other --server ${own.url}`,
    ]) {
      const { code, err, out } = await xsvc(line);
      expect([line, code, out]).toEqual([line, 2, '']);
      expect(err).toMatch(message);
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it.each([0o644, 0o640, 0o606, 0o620])('of the mode %o is refused', async (mode) => {
    put(VALID, mode);
    for (const line of ['get persons', 'config get-contexts', `config set-context x --server ${own.url}`]) {
      const { code, err } = await xsvc(line);
      expect([line, code]).toEqual([line, 2]);
      expect(err).toContain(`chmod 600 ${file}`);
    }
    expect(readFileSync(file, 'utf8')).toBe(VALID);
  });

  it('that is faulty does not stop a command that names its server', async () => {
    put(VALID, 0o644);
    const { code, err } = await xsvc('version', { XSVC_SERVER: own.url });
    expect([code, own.heard]).toEqual([0, [undefined]]);
    expect(err).toMatch(/^warning: no token of a context is used: .*chmod 600/);
    expect(await xsvc('version', { XSVC_SERVER: own.url, XSVC_TOKEN: 't' })).toMatchObject({
      code: 0,
      err: '',
    });
  });

  it('that is a directory is refused', async () => {
    mkdirSync(file, { recursive: true });
    expect(await xsvc('config get-contexts')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/not a regular file/) as string,
    });
  });

  it('that is empty has no contexts, and gets some', async () => {
    put('');
    expect(await xsvc('config get-contexts -o name')).toEqual({ code: 0, out: '', err: '' });
    expect(await xsvc(`config set-context prod --server ${own.url}`)).toMatchObject({ code: 0 });
    expect((await xsvc('config get-contexts -o name')).out).toBe('prod\n');
  });
});
