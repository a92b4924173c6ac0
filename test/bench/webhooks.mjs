/**
 * Measures deliveries to one fast receiver on loopback, in another process: a webhook is disabled while objects are
 * created, and then enabled. Needs `npm run build`.
 * Usage: node test/bench/webhooks.mjs [changes=20000]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuMicros } from './cpu.mjs';

const PROGRAM = fileURLToPath(new URL('../../bin/xsvc.js', import.meta.url));
const WEBHOOKS = '/apis/delivery.platform.run/v1alpha1/webhooks';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches?return=none';
/** Objects in one request. */
const LOT = 250;
const agent = new Agent({ keepAlive: true });

if (process.argv[2] === 'receive') receive();
else await measure(Number(process.argv[2] ?? 20_000));

function receive() {
  let count = 0;
  const server = createServer((req, res) => {
    if (req.method === 'GET') {
      res.end(String(count));
      return;
    }
    req.on('data', () => undefined);
    req.on('end', () => {
      count += 1;
      res.writeHead(204).end();
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
}

async function measure(changes) {
  const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
  const receiver = start([fileURLToPath(import.meta.url), 'receive']);
  const flags = [
    '--port',
    '0',
    '--data-dir',
    directory,
    '--plugins',
    directory,
    '--webhook-allow',
    '127.0.0.1',
  ];
  const daemon = start([PROGRAM, 'serve', ...flags, '--log-level', 'error']);
  try {
    const port = Number(await firstMatch(receiver, /(\d+)/));
    const base = await firstMatch(daemon, /listening on (\S+)/);
    await run({ base, receiver: `http://127.0.0.1:${port}`, daemonPid: daemon.pid, changes });
  } finally {
    agent.destroy();
    daemon.kill('SIGKILL');
    receiver.kill('SIGKILL');
    await sleep(100);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function run({ base, receiver, daemonPid, changes }) {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const models = [{ group: '', kind: 'ConfigMap' }];
  const spec = { url: `${receiver}/hook`, models, secret, enabled: false };
  await send('POST', `${base}${WEBHOOKS}`, { metadata: { name: 'bench' }, spec });
  for (let at = 0; at < changes; at += LOT) {
    const items = Array.from({ length: Math.min(LOT, changes - at) }, (_, i) => ({
      verb: 'create',
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `map-${at + i}`, namespace: 'default' },
        data: { text: 'x'.repeat(200) },
      },
    }));
    await send('POST', `${base}${BATCHES}`, { items });
  }
  await sleep(2_000);
  const cpu = cpuMicros(daemonPid);
  const began = performance.now();
  await send('PATCH', `${base}${WEBHOOKS}/bench`, { spec: { enabled: true } });
  let firstAt;
  for (let count = 0; count < changes;) {
    await sleep(10);
    count = Number(await send('GET', receiver));
    if (count > 0) firstAt ??= performance.now();
  }
  const ended = performance.now();
  const seconds = (ended - began) / 1_000;
  const cpuSeconds = (cpuMicros(daemonPid) - cpu) / 1e6;
  console.log(
    `${changes} deliveries in ${seconds.toFixed(2)} s: ${Math.round(changes / seconds)}/s, ` +
      `after the first one ${Math.round(changes / ((ended - firstAt) / 1_000))}/s, ` +
      `${Math.round(changes / cpuSeconds)} per second of CPU of the daemon`,
  );
}

function start(args) {
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

function firstMatch(child, pattern) {
  return new Promise((resolve) =>
    child.stdout.on('data', (part) => {
      const found = pattern.exec(String(part));
      if (found !== null) resolve(found[1]);
    }),
  );
}

function send(method, url, body) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { 'content-type': type } }, (response) => {
      let text = '';
      response.on('data', (part) => (text += part));
      response.on('end', () => {
        if (response.statusCode < 300) resolve(text);
        else reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 300)}`));
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
