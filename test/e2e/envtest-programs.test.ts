import { X509Certificate } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { killClients, startProgram, type Client } from '../clients/clients.js';
import { Authority, type Certificate } from '../helpers/certificates.js';
import { freePort, runProgram } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterEach(killClients);
afterAll(removeDirectories);

async function assets(): Promise<string> {
  const directory = path.join(temporaryDirectory(), 'assets');
  expect(await runProgram(['envtest', '--assets', directory])).toMatchObject({ code: 0 });
  return directory;
}

const start = (file: string, ...flags: readonly string[]): Client =>
  startProgram(file, flags, { env: process.env });

interface Asked {
  readonly ca: Buffer;
  readonly by?: Certificate;
}

/** The status of a request over TLS; undefined when there is no answer. */
function statusOf(url: string, { ca, by }: Asked): Promise<number | undefined> {
  const files = by && { cert: readFileSync(by.certFile), key: readFileSync(by.keyFile) };
  return new Promise((resolve) => {
    const req = request(url, { ca, ...files, agent: false }, (res) => {
      res.resume();
      resolve(res.statusCode);
    });
    req.on('error', () => resolve(undefined));
    req.end();
  });
}

describe('the programs of xsvc envtest --assets', () => {
  it('are an etcd and a kube-apiserver, beside a link to kubectl', async () => {
    const directory = await assets();
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(['etcd', 'kube-apiserver']));
    for (const name of ['etcd', 'kube-apiserver'])
      expect(lstatSync(path.join(directory, name)).mode & 0o777).toBe(0o755);
    expect(await runProgram(['envtest', '--assets', directory])).toMatchObject({ code: 0 });
  });

  it('keep owned objects when asked to', async () => {
    const directory = path.join(temporaryDirectory(), 'assets');
    const flags = ['envtest', '--assets', directory, '--no-garbage-collection'];
    expect(await runProgram(flags)).toMatchObject({ code: 0 });
    const launcher = readFileSync(path.join(directory, 'kube-apiserver'), 'utf8');
    expect(launcher).toContain(' envtest --no-garbage-collection --as kube-apiserver -- ');
    const port = await freePort();
    const server = start(
      path.join(directory, 'kube-apiserver'),
      `--secure-port=${port}`,
      `--cert-dir=${directory}`,
    );
    const made = path.join(directory, 'apiserver.crt');
    await expect.poll(() => existsSync(made)).toBe(true);
    const url = `https://127.0.0.1:${port}/readyz`;
    await expect.poll(() => statusOf(url, { ca: readFileSync(made) })).toBe(200);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  it('do not replace other programs', async () => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, 'kube-apiserver'), 'another one');
    const { code, stderr } = await runProgram(['envtest', '--assets', directory]);
    expect([code, stderr]).toEqual([
      2,
      `error: --assets: ${directory}/kube-apiserver is another program; name another directory, or remove it\n`,
    ]);
    expect(readdirSync(directory)).toEqual(['kube-apiserver']);
    const file = path.join(directory, 'kube-apiserver');
    expect((await runProgram(['envtest', '--assets', file])).stderr).toContain('cannot write to');
  });

  it('list their flags, in which envtest looks', async () => {
    const directory = await assets();
    const etcd = start(path.join(directory, 'etcd'), '--help');
    expect([await etcd.ended, etcd.output.stdout]).toEqual([
      0,
      expect.stringMatching(/^\s*--unsafe-no-fsync\b/m),
    ]);
    const server = start(path.join(directory, 'kube-apiserver'), '--help');
    expect([await server.ended, server.output.stdout]).toEqual([
      0,
      expect.not.stringContaining('insecure-port'),
    ]);
  });

  it('answer as etcd whether it is healthy', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const file = path.join(await assets(), 'etcd');
    const etcd = start(file, `--listen-client-urls=${url}`, '--data-dir=/tmp/none', '--unsafe-no-fsync=true');
    const health = async (): Promise<unknown> => (await fetch(`${url}/health`)).json();
    await expect.poll(() => health().catch(() => undefined)).toEqual({ health: 'true', reason: '' });
    const second = start(file, `--listen-client-urls=${url}`);
    expect([await second.ended, second.output.stderr]).toEqual([
      6,
      expect.stringContaining(`cannot listen on ${url}: `),
    ]);
    etcd.signal('SIGTERM');
    expect([await etcd.ended, etcd.output]).toEqual([0, { stdout: '', stderr: '' }]);
  });

  it('serve with the files of the flags, and know users by their certificates', async () => {
    const authority = new Authority();
    const { certFile, keyFile } = authority.sign('server');
    const port = await freePort();
    const server = start(
      path.join(await assets(), 'kube-apiserver'),
      `--secure-port=${port}`,
      `--tls-cert-file=${certFile}`,
      `--tls-private-key-file=${keyFile}`,
      `--client-ca-file=${authority.caFile}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.0.0.0/24',
      '--feature-gates=Some=true',
    );
    const ca = readFileSync(authority.caFile);
    const url = `https://127.0.0.1:${port}`;
    for (const target of ['/healthz', '/readyz', '/livez'])
      await expect.poll(() => statusOf(`${url}${target}`, { ca })).toBe(200);
    expect(server.output.stderr).toBe('kube-apiserver: the flag --feature-gates has no meaning here\n');
    const maps = `${url}/api/v1/configmaps`;
    const by = authority.sign('boss', 3_600_000, ['system:masters']);
    expect(await statusOf(maps, { ca, by })).toBe(200);
    expect(await statusOf(maps, { ca, by: authority.sign('eve') })).toBe(403);
    expect(await statusOf(maps, { ca })).toBe(401);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  it('make a certificate in the directory of certificates when it has none', async () => {
    const directory = path.join(temporaryDirectory(), 'certificates');
    const file = path.join(await assets(), 'kube-apiserver');
    const ports = [await freePort(), await freePort()];
    const certificates: string[] = [];
    for (const port of ports) {
      const server = start(file, '--secure-port', String(port), `--cert-dir=${directory}`);
      const made = (): Buffer => readFileSync(path.join(directory, 'apiserver.crt'));
      await expect.poll(() => readdirSync(path.dirname(directory))).toContain('certificates');
      await expect.poll(() => statusOf(`https://127.0.0.1:${port}/readyz`, { ca: made() })).toBe(200);
      certificates.push(made().toString());
      server.signal('SIGTERM');
      expect(await server.ended).toBe(0);
    }
    expect(certificates[0]).toBe(certificates[1]);
    const { subjectAltName, subject } = new X509Certificate(certificates[0] ?? '');
    expect([subject, subjectAltName]).toEqual(['CN=127.0.0.1', 'IP Address:127.0.0.1, DNS:localhost']);
  });

  const failures: Readonly<Record<string, readonly [flag: string, message: string]>> = {
    port: ['--secure-port=many', '--secure-port: "many" is no port'],
    'issuer of clients': ['--client-ca-file=/missing', '--client-ca-file: cannot read /missing'],
    key: ['--tls-cert-file=/missing', '--tls-cert-file and --tls-private-key-file need one another'],
  };
  it.each(Object.entries(failures))('say what is wrong with the %s', async (_name, [flag, message]) => {
    const { code, stderr } = await runProgram(['envtest', '--as', 'kube-apiserver', '--', flag]);
    expect([code, stderr]).toEqual([5, expect.stringContaining(message)]);
  });
});
