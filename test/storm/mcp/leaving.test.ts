import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { readAudit } from '../../helpers/audit.js';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const OBJECTS = 300;
const ITEMS = 200;

afterEach(killDaemons);
afterAll(removeDirectories);

const callOf = (name: string, args: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

/** Sends a request and closes the connection after a time, whatever has arrived by then. */
async function sendAndLeave({ port }: DaemonProcess, body: string, afterMs: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const length = Buffer.byteLength(body);
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
  );
  await sleep(afterMs);
  socket.destroy();
}

const items = (prefix: string): object[] =>
  Array.from({ length: ITEMS }, (_, i) => ({
    verb: 'create',
    model: 'configmaps',
    object: { metadata: { namespace: 'default', name: `${prefix}-${i}` } },
  }));

const seed = seedOfRun();

it(`agents that go away at any time leave nothing half done, and nothing open (SEED=${seed})`, async () => {
  const directory = temporaryDirectory();
  const [dataDir, audit] = [path.join(directory, 'data'), path.join(directory, 'audit.log')];
  const flags = ['--mcp', 'write', '--audit-log', audit];
  const daemon = await startDaemonProcess({ dataDir, plugins: [directory], flags });
  const random = new Random(seed);
  const data = { text: 'x'.repeat(1_000) };
  for (let i = 0; i < OBJECTS; i++)
    expect((await daemon.send('POST', MAPS, { body: { metadata: { name: `m-${i}` }, data } })).status).toBe(
      201,
    );
  const openFiles = (): number => readdirSync(`/proc/${daemon.pid}/fd`).length;
  const before = openFiles();

  const plans: string[] = [];
  for (let i = 0; i < 40; i++) {
    const answer = await daemon.send('POST', '/mcp', { body: callOf('plan', { items: items(`p${i}`) }) });
    plans.push(/plan\.\d+\.[\w-]{22}/.exec(answer.text)?.[0] ?? '');
  }
  expect(new Set(plans).size).toBe(40);
  const reads = [
    callOf('list', { model: 'configmaps' }),
    callOf('history', { model: 'configmaps', name: 'default/m-1' }),
    callOf('plan', { items: items('never') }),
    `[${Array.from({ length: 10 }, () => callOf('list', { model: 'configmaps' })).join()}]`,
  ];
  const leaving = plans.map((plan) => callOf('apply', { plan }));
  for (let i = 0; i < 200; i++) leaving.push(reads[i % reads.length] ?? '');
  while (leaving.length > 0) {
    const some = leaving.splice(0, 12);
    await Promise.all(some.map((body) => sendAndLeave(daemon, body, random.below(60))));
  }
  await expect.poll(openFiles).toBeLessThanOrEqual(before + 5);

  expect(await daemon.stop()).toMatchObject({ code: 0 });
  expect(daemon.output.stderr).not.toMatch(/"level":50/);

  const next = await startDaemonProcess({ dataDir, plugins: [directory], flags });
  const { items: found } = (await next.get(`${MAPS}?size=0`)).json();
  const perPlan = new Map<string, number>();
  for (const { metadata } of found) {
    const [plan = ''] = String(metadata.name).split('-');
    perPlan.set(plan, (perPlan.get(plan) ?? 0) + 1);
  }
  expect(perPlan.get('m')).toBe(OBJECTS);
  expect(perPlan.has('never')).toBe(false);
  perPlan.delete('m');
  console.log(`of ${plans.length} plans, ${perPlan.size} were applied`);
  for (const [plan, count] of perPlan) expect([plan, count]).toEqual([plan, ITEMS]);
  const created = readAudit(audit).filter(({ via, code }) => via === 'mcp' && code === 201);
  expect(created).toHaveLength(perPlan.size * ITEMS);
  expect(await next.stop()).toMatchObject({ code: 0 });
  expect(await runProgram(['check', '--data-dir', dataDir])).toMatchObject({ code: 0 });
});
