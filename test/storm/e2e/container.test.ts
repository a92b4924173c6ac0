import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildWithoutEngine, instructionsOf, type BuiltImage } from '../../helpers/dockerfile.js';
import { freePort } from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import { eventually } from '../../../src/testing/index.js';

const ROOT = new URL('../../..', import.meta.url).pathname;
const BASE = /^FROM (\S+)$/m.exec(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '';
afterAll(removeDirectories);

/** A container engine that runs, and that has or gets the base image. */
const engine = ['docker', 'podman'].find((name) => {
  const works = (...args: readonly string[]): boolean =>
    spawnSync(name, args, { timeout: 120_000 }).status === 0;
  return works('info') && (works('image', 'inspect', BASE) || works('pull', BASE));
});

/** Asks the service as the token's user. */
async function versionAt(port: number, token: string): Promise<unknown> {
  const headers = { Authorization: `Bearer ${token}` };
  return (await fetch(`http://127.0.0.1:${port}/version`, { headers })).json();
}

const tokenIn = (output: string): string | undefined => /token of user "admin".*: (\S+)/.exec(output)?.[1];

describe('the container image', () => {
  it('does not run as root, has a health check and a volume, and names no registry', () => {
    const text = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
    const instructions = instructionsOf(text);
    const names = instructions.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['HEALTHCHECK', 'VOLUME', 'USER', 'ENTRYPOINT']));
    expect(names.filter((name) => name === 'FROM')).toHaveLength(2);
    expect(instructions.findLast(({ name }) => name === 'USER')?.text).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(instructions.filter(({ name, text }) => name === 'FROM' && text.includes('/'))).toEqual([]);
  });

  it('is made of one base image, named by its digest', () => {
    const bases = instructionsOf(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8'))
      .filter(({ name }) => name === 'FROM')
      .map(({ text }) => text.replace(/ AS .*/, ''));
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/@sha256:[0-9a-f]{64}$/);
  });

  it.skipIf(engine === undefined)('is built and answers', async () => {
    const run = (...args: readonly string[]): string =>
      execFileSync(engine ?? '', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    const tag = `xsvc-test-${process.pid}`;
    run('build', '-t', tag, ROOT);
    const id = run('run', '-d', '--read-only', '--tmpfs', '/tmp', '-p', '127.0.0.1::8090', tag).trim();
    try {
      const token = await eventually(() => tokenIn(run('logs', id)), { timeoutMs: 60_000 });
      const port = Number(run('port', id, '8090').trim().split(':').at(-1));
      expect(await versionAt(port, token)).toHaveProperty('gitVersion');
      expect(run('exec', id, 'id', '-u').trim()).toBe('1000');
    } finally {
      run('rm', '-f', '-v', id);
      run('rmi', tag);
    }
  });

  describe.skipIf(engine !== undefined)('by its steps, where no engine runs', () => {
    it('is built and answers, without root', { timeout: 1_800_000 }, async () => {
      const directory = temporaryDirectory();
      // Its own user must be able to enter.
      chmodSync(directory, 0o755);
      const image = buildWithoutEngine(ROOT, directory);
      expect(existsSync(path.join(image.root, 'opt/xsvc/node_modules/typescript'))).toBe(false);
      expect(existsSync(path.join(image.root, 'opt/xsvc/src'))).toBe(false);
      expect(image.volumes).toEqual([image.env.XSVC_DATA_DIR]);
      await serveAndAsk(image);
    });
  });
});

async function serveAndAsk(image: BuiltImage): Promise<void> {
  const port = await freePort();
  const isRoot = process.getuid?.() === 0;
  const env = {
    ...image.env,
    // Tests listen to this machine alone.
    XSVC_HOST: '127.0.0.1',
    XSVC_PORT: String(port),
    PATH: [path.join(image.root, 'usr/local/bin'), process.env.PATH ?? ''].join(path.delimiter),
  };
  const [program = '', ...args] = [...image.entrypoint, ...image.command];
  const child = spawn(program, args, { cwd: image.directory, env, ...(isRoot && image.user) });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  try {
    const token = await eventually(() => tokenIn(output), { timeoutMs: 120_000 }).catch((error: unknown) => {
      throw new Error(output, { cause: error });
    });
    await eventually(() => /listening on/.test(output), { timeoutMs: 120_000 });
    expect(await versionAt(port, token)).toHaveProperty('gitVersion');
    if (isRoot) expect(statSync(path.join(image.directory, 'data.mdb')).uid).toBe(image.user.uid);
    const healthy = (at: number): number | null => {
      const [check = '', ...rest] = image.healthCheck.map((part) => part.replace('8090', String(at)));
      return spawnSync(check, rest, { env }).status;
    };
    expect(healthy(port)).toBe(0);
    expect(healthy(await freePort())).toBe(1);
  } finally {
    child.kill();
    expect(await ended).toBe(0);
  }
}
