import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { request } from 'node:https';
import { afterAll, describe, expect, it } from 'vitest';
import { EXAMPLE_PLUGINS, freePort, killDaemons, PROGRAM, startDaemonProcess } from '../../helpers/daemon.js';
import { helpOf } from '../../helpers/reference.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import { eventually } from '../../../src/testing/index.js';

const DEPLOY = new URL('../../../docs/deploy', import.meta.url).pathname;
const INSTALLED = '/usr/local/bin/xsvc';
afterAll(() => {
  killDaemons();
  removeDirectories();
});

const textOf = (file: string): string => readFileSync(path.join(DEPLOY, file), 'utf8');
const isThere = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const valueOf = (unit: string, key: string): string =>
  new RegExp(`^${key}=(.*)$`, 'm').exec(textOf(unit))?.[1] ?? '';

/** A directory with a command `xsvc` that runs this program. */
function withProgram(): { directory: string; program: string } {
  const directory = temporaryDirectory();
  const program = path.join(directory, 'bin/xsvc');
  mkdirSync(path.dirname(program));
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, { mode: 0o755 });
  return { directory, program };
}

describe('the units for systemd', () => {
  it('start the service with flags that it has', async () => {
    const [program, command, ...flags] = valueOf('xsvc.service', 'ExecStart').split(' ');
    expect([program, command]).toEqual([INSTALLED, 'serve']);
    const help = await helpOf(['serve'], 1000);
    for (const flag of flags.filter((word) => word.startsWith('--'))) expect(help).toContain(`${flag} `);
  });

  it('make a backup that can be restored, and take away none that is young', async () => {
    const { directory, program } = withProgram();
    const daemon = await startDaemonProcess({
      dataDir: path.join(directory, 'xsvc'),
      plugins: [EXAMPLE_PLUGINS],
    });
    const backups = path.join(directory, 'xsvc-backup');
    mkdirSync(backups);
    for (const key of ['ExecStart', 'ExecStartPost']) {
      const line = valueOf('xsvc-backup.service', key)
        .replaceAll('%%', '%')
        .replaceAll(INSTALLED, program)
        .replaceAll('/var/lib', directory);
      execFileSync('sh', ['-ec', line], { stdio: 'pipe' });
    }
    await daemon.stop();
    const made = readdirSync(backups);
    expect(made).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/)]);
    const target = path.join(directory, 'drill');
    execFileSync(program, ['restore', path.join(backups, made[0] ?? ''), '--data-dir', target], {
      stdio: 'pipe',
    });
    const found = execFileSync(program, ['get', 'persons', '-o', 'name', '--data-dir', target]);
    expect(found.toString()).toBe('persons/ada\npersons/bert\npersons/cleo\n');
  });

  it.skipIf(!isThere('systemd-analyze'))(
    'are sound, and leave a service little that it does not need',
    () => {
      const { directory, program } = withProgram();
      const units = ['xsvc.service', 'xsvc-backup.service', 'xsvc-backup.timer'];
      for (const unit of units)
        writeFileSync(path.join(directory, unit), textOf(unit).replaceAll(INSTALLED, program));
      const verify = spawnSync('systemd-analyze', [
        'verify',
        ...units.map((unit) => path.join(directory, unit)),
      ]);
      // Other units of the machine may have faults of their own.
      expect(
        String(verify.stderr)
          .split('\n')
          .filter((line) => line.includes('xsvc')),
      ).toEqual([]);
      for (const unit of units.filter((name) => name.endsWith('.service'))) {
        const flags = ['security', '--offline=true', '--no-pager', '--threshold=15'];
        const { status, stdout } = spawnSync('systemd-analyze', [...flags, path.join(directory, unit)]);
        expect(status, String(stdout)).toBe(0);
      }
    },
  );
});

describe.skipIf(!isThere('nginx') || !isThere('openssl'))('the proxy with TLS', () => {
  it('passes on lists, writes of pages of its own origin, and each event of a watch as it comes', async () => {
    const directory = temporaryDirectory();
    const file = (name: string): string => path.join(directory, name);
    const port = await freePort();
    const daemon = await startDaemonProcess({
      dataDir: file('data'),
      plugins: [EXAMPLE_PLUGINS],
      flags: ['--auth', 'token'],
    });
    const token = /token of user "admin".*: (\S+)/.exec(daemon.output.stdout)?.[1] ?? '';
    const subject = ['-subj', '/CN=localhost', '-days', '1'];
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', file('key.pem'), '-out', file('cert.pem')];
    execFileSync('openssl', ['req', '-x509', ...key, ...subject], { stdio: 'pipe' });
    const site = textOf('nginx.conf')
      .replace('127.0.0.1:8090;', `127.0.0.1:${daemon.port};`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replace('/etc/ssl/xsvc.example.com.pem', file('cert.pem'))
      .replace('/etc/ssl/xsvc.example.com.key', file('key.pem'));
    writeFileSync(file('site.conf'), site);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${file(name)};`,
    );
    const http = `http { access_log off; ${temporary.join(' ')} include ${file('site.conf')}; }`;
    const main = `daemon off; pid ${file('pid')}; error_log stderr; worker_processes 1; events {}`;
    writeFileSync(file('nginx.conf'), `${main} ${http}\n`);
    const test = spawnSync('nginx', ['-t', '-c', file('nginx.conf')]);
    expect(test.status, String(test.stderr)).toBe(0);
    const nginx = spawn('nginx', ['-c', file('nginx.conf')], { stdio: 'ignore' });
    const ended = new Promise((resolve) => nginx.once('close', resolve));
    try {
      const send = sender(port, token);
      const persons = '/apis/demo.example.com/v1alpha1/persons';
      await eventually(async () => (await send('GET', '/livez')).text === 'ok');
      expect((await send('GET', persons)).text).toContain('"total":3');
      const watch = await watchThrough(port, token, `${persons}?watch=true`);
      await eventually(() => watch.text.includes('"ada"'));
      const body = JSON.stringify({
        metadata: { name: 'dora' },
        spec: { name: 'Dora', tags: ['x'.repeat(900_000)] },
      });
      const headers = { 'Content-Type': 'application/json', Origin: `https://127.0.0.1:${port}` };
      expect((await send('POST', persons, { headers, body })).status).toBe(201);
      await eventually(() => watch.text.includes('"dora"'));
      const foreign = { ...headers, Origin: 'https://other.example.com' };
      expect((await send('POST', persons, { headers: foreign, body: '{}' })).status).toBe(403);
      watch.end();
    } finally {
      nginx.kill();
      await ended;
      await daemon.stop();
    }
  });
});

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

type Send = (
  method: string,
  target: string,
  sent?: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
) => Promise<Answer>;

/** Requests over TLS with a certificate that nobody signed. */
function sender(port: number, token: string): Send {
  return (method, target, { headers = {}, body = '' } = { headers: {}, body: '' }) =>
    new Promise((resolve, reject) => {
      const options = { port, host: '127.0.0.1', method, path: target, rejectUnauthorized: false };
      const asking = request(
        { ...options, headers: { ...headers, Authorization: `Bearer ${token}` } },
        (answer) => {
          let text = '';
          answer.on('data', (part) => (text += String(part)));
          answer.on('end', () => resolve({ status: answer.statusCode, text }));
        },
      );
      asking.on('error', reject);
      asking.end(body);
    });
}

async function watchThrough(
  port: number,
  token: string,
  target: string,
): Promise<{ readonly text: string; end(): void }> {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
  const options = { port, host: '127.0.0.1', path: target, headers, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const asking = request(options, (answer) => {
      const watch = { text: '', end: () => asking.destroy() };
      answer.on('data', (part) => (watch.text += String(part)));
      answer.on('error', () => undefined);
      resolve(watch);
    });
    asking.on('error', reject);
    asking.end();
  });
}
