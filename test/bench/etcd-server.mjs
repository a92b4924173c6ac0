import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MEMBERS = 3;
/** For a leader to be found. */
const START_MS = 30_000;

/**
 * Starts a cluster of etcd on loopback, its members in directories below one.
 * @returns {Promise<{ version: string, url: (prefix: string) => string, status: () => Promise<{ dbSize: number, dbSizeInUse: number }>, stop: () => Promise<void> }>}
 */
export async function startEtcd(directory) {
  const [, version] = /etcd Version: (\S+)/.exec(execFileSync('etcd', ['--version'], { encoding: 'utf8' }));
  const members = [];
  for (let n = 0; n < MEMBERS; n += 1) {
    const [port, peerPort] = [await freePort(), await freePort()];
    members.push({ name: `m${n}`, port, peer: `http://127.0.0.1:${peerPort}` });
  }
  const cluster = members.map(({ name, peer }) => `${name}=${peer}`).join(',');
  const processes = members.map(({ name, port, peer }) => {
    const url = `http://127.0.0.1:${port}`;
    const options = {
      name,
      'data-dir': path.join(directory, `etcd-${name}`),
      'listen-client-urls': url,
      'advertise-client-urls': url,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': cluster,
    };
    const flags = Object.entries(options).map(([option, value]) => `--${option}=${value}`);
    return spawn('etcd', flags, { stdio: 'ignore' });
  });
  const [{ port }] = members;
  await ask(port, 'kv/range', { key: 'bm9uZQ==' }, performance.now() + START_MS);
  return {
    version,
    url: (prefix) => `etcd://${members.map((one) => `127.0.0.1:${one.port}`).join(',')}/${prefix}`,
    async status() {
      const { dbSize, dbSizeInUse } = await ask(port, 'maintenance/status', {});
      return { dbSize: Number(dbSize), dbSizeInUse: Number(dbSizeInUse) };
    },
    async stop() {
      await Promise.all(
        processes.map((child) => {
          const ended = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGTERM');
          return ended;
        }),
      );
    },
  };
}

/** Asks the gateway of a member; again and again until a time, when there is one. */
async function ask(port, route, body, until = 0) {
  for (;;) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/v3/${route}`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      if (answer.ok) return await answer.json();
      throw new Error(await answer.text());
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(100);
    }
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
