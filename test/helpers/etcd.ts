import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { Certificate } from './certificates.js';
import { freePort } from './daemon.js';
import { startProxy, type TcpProxy } from './tcp-proxy.js';

/** True when the program is installed; tests that need it are skipped otherwise. */
export const HAS_ETCD = spawnSync('etcd', ['--version']).status === 0;

const members: EtcdMember[] = [];
const proxies: TcpProxy[] = [];
const directories: string[] = [];

/** Ends the members of a test file when it ends. */
export function useEtcd(): void {
  afterAll(async () => {
    for (const member of members.splice(0)) await member.kill();
    for (const proxy of proxies.splice(0)) await proxy.close();
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  });
}

/** The certificate of members, as servers and as clients of each other. */
export interface EtcdTls extends Certificate {
  readonly caFile: string;
  /** True when clients must have a certificate of the same authority. */
  readonly asksClients?: boolean;
}

export interface EtcdGiven {
  readonly flags?: readonly string[];
  readonly tls?: EtcdTls;
}

/** One member of a cluster of the tests, on loopback. */
export class EtcdMember {
  #process: ChildProcess | undefined;
  readonly #directory = mkdtempSync(path.join(tmpdir(), 'xsvc-etcd-'));

  constructor(
    readonly name: string,
    readonly port: number,
    private readonly peerPort: number,
    /** The other members connect through it. */
    readonly peerProxy: TcpProxy,
    private readonly given: EtcdGiven,
  ) {
    directories.push(this.#directory);
    members.push(this);
  }

  get peerUrl(): string {
    return `http://127.0.0.1:${this.peerProxy.port}`;
  }

  get isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  /** @param cluster its members, when it starts for the first time */
  start(cluster: string): void {
    const { tls, flags = [] } = this.given;
    const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
    const options: Readonly<Record<string, string>> = {
      name: this.name,
      'data-dir': this.#directory,
      'listen-client-urls': url,
      'advertise-client-urls': url,
      'listen-peer-urls': `http://127.0.0.1:${this.peerPort}`,
      'initial-advertise-peer-urls': this.peerUrl,
      'initial-cluster': cluster,
      ...(tls && { 'cert-file': tls.certFile, 'key-file': tls.keyFile }),
      ...(tls?.asksClients === true && { 'client-cert-auth': 'true', 'trusted-ca-file': tls.caFile }),
    };
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    this.#process = spawn('etcd', [...args, ...flags], { stdio: 'ignore' });
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }

  async kill(): Promise<void> {
    const member = this.#process;
    if (member === undefined || !this.isRunning) return;
    const ended = new Promise((resolve) => member.once('exit', resolve));
    member.kill('SIGKILL');
    await ended;
  }

  /** Asks its gateway. */
  async ask(route: string, body: object, token?: string): Promise<Record<string, unknown>> {
    const { tls } = this.given;
    const options: RequestOptions = {
      host: '127.0.0.1',
      port: this.port,
      path: `/v3/${route}`,
      method: 'POST',
      agent: false,
      headers: token === undefined ? {} : { authorization: token },
      // A member that is stopped is asked for its status.
      signal: AbortSignal.timeout(route === 'maintenance/status' ? 5_000 : 60_000),
      ...(tls && {
        // Also of one whose certificate has expired.
        rejectUnauthorized: false,
        cert: readFileSync(tls.certFile),
        key: readFileSync(tls.keyFile),
      }),
    };
    const request = tls === undefined ? requestPlain(options) : requestTls(options);
    request.end(JSON.stringify(body));
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return JSON.parse(await text(answer)) as Record<string, unknown>;
  }
}

const FILLED = { start: 'filled/', end: 'filled0' };

/** Uses up the quota of a member, with keys that nobody else knows. */
export async function fill(member: EtcdMember): Promise<void> {
  for (let i = 0; ; i += 1) {
    const value = randomBytes(1_000_000).toString('base64');
    const answer = await member.ask('kv/put', { key: base64(`${FILLED.start}${i}`), value });
    if (answer['error'] !== undefined) return;
  }
}

/** Frees space as an operator does when etcd is full. */
export async function makeRoom(member: EtcdMember): Promise<void> {
  const removed = await member.ask('kv/deleterange', {
    key: base64(FILLED.start),
    range_end: base64(FILLED.end),
  });
  const { revision } = removed['header'] as { revision: string };
  await member.ask('kv/compaction', { revision, physical: true });
  await member.ask('maintenance/defragment', {});
  const { alarms } = await member.ask('maintenance/alarm', { action: 'GET' });
  for (const alarm of alarms as object[])
    await member.ask('maintenance/alarm', { ...alarm, action: 'DEACTIVATE' });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

export class EtcdCluster {
  readonly #initial: string;

  constructor(readonly members: readonly EtcdMember[]) {
    this.#initial = members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',');
  }

  get ports(): number[] {
    return this.members.map(({ port }) => port);
  }

  /** `etcd://..` of a store in it. */
  url(prefix: string, ports: readonly number[] = this.ports): string {
    return `etcd://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${prefix}`;
  }

  get first(): EtcdMember {
    const [first] = this.members;
    if (first === undefined) throw new Error('a cluster without members');
    return first;
  }

  start(which: readonly EtcdMember[] = this.members): void {
    for (const member of which) member.start(this.#initial);
  }

  async kill(): Promise<void> {
    for (const member of this.members) await member.kill();
  }

  /** The member that leads now, as one of them knows. */
  async leader(): Promise<EtcdMember> {
    for (const until = performance.now() + 60_000; performance.now() < until;) {
      for (const member of this.members) {
        const status = await member.ask('maintenance/status', {}).catch(() => undefined);
        const header = status?.['header'] as { member_id?: string } | undefined;
        if (header?.member_id !== undefined && status?.['leader'] === header.member_id) return member;
      }
      await sleep(50);
    }
    throw new Error('no member of etcd leads');
  }
}

/** Starts a cluster in new directories, and waits until one of its members leads. */
export async function startEtcd(size = 1, given: EtcdGiven = {}): Promise<EtcdCluster> {
  const made: EtcdMember[] = [];
  for (let i = 0; i < size; i += 1) {
    const [port, peerPort] = [await freePort(), await freePort()];
    const proxy = await startProxy(peerPort);
    proxies.push(proxy);
    made.push(new EtcdMember(`m${i}`, port, peerPort, proxy, given));
  }
  const cluster = new EtcdCluster(made);
  cluster.start();
  await cluster.leader();
  return cluster;
}
