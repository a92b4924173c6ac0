import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Authority } from '../helpers/certificates.js';
import {
  converted,
  ConversionWebhook,
  listener,
  listeners,
  listenersIn,
} from '../helpers/conversion-webhook.js';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { define } from '../helpers/definitions.js';
import { waitFor } from '../helpers/kubernetes.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

let authority: Authority;
let webhook: ConversionWebhook;

beforeAll(() => {
  authority = new Authority();
});
beforeEach(async () => {
  webhook = new ConversionWebhook(authority);
  await webhook.start();
});
afterEach(async () => {
  killDaemons();
  await webhook.stop();
});
afterAll(removeDirectories);

const SERVICE = { namespace: 'net', name: 'converter', path: '/convert' };
const address = () => ['--service-url', `net/converter=${webhook.origin}`];

async function startOn(dataDir: string): Promise<DaemonProcess> {
  return startDaemonProcess({ dataDir, plugins: [temporaryDirectory()], flags: address() });
}

/** A definition whose webhook is a service. */
function ofService() {
  const { caBundle } = webhook.client;
  return listeners({ service: SERVICE, caBundle });
}

it('a daemon that is killed while a webhook converts has stored nothing, and starts again', async () => {
  const dataDir = temporaryDirectory();
  const daemon = await startOn(dataDir);
  await define(daemon, ofService());
  const body = listener('v1', 'one', { host: 'a', port: 1 });
  webhook.calls.length = 0;
  webhook.answer = () => undefined;
  const sent = daemon.send('POST', listenersIn('v1'), { body }).catch(() => undefined);
  await waitFor(
    () => Promise.resolve(webhook.calls.length),
    (count) => count > 0,
  );
  daemon.signal('SIGKILL');
  await daemon.exited;
  expect(await sent).toBeUndefined();
  webhook.answer = converted;
  const again = await startOn(dataDir);
  expect((await again.get(listenersIn('v2'))).json().items).toEqual([]);
  expect((await again.send('POST', listenersIn('v1'), { body })).status).toBe(201);
  expect((await again.get(listenersIn('v2', 'one'))).json().spec).toEqual({ hostPort: 'a:1', weight: 1 });
  await again.stop();
});

it('the command line asks the webhook without a daemon, if it knows the address of its service', async () => {
  const dataDir = temporaryDirectory();
  const daemon = await startOn(dataDir);
  await define(daemon, ofService());
  await daemon.send('POST', listenersIn('v2'), { body: listener('v2', 'one', { hostPort: 'a:1' }) });
  await daemon.stop();
  const run = (...args: readonly string[]) =>
    runProgram([...args, '-n', 'default', '--data-dir', dataDir, '--plugins', temporaryDirectory()]);
  const get = ['get', 'listeners.v1.net.example.com', 'one', '-o', 'json'];
  const config = path.join(temporaryDirectory(), 'config.yaml');
  writeFileSync(config, `serviceUrl: ['${address().at(-1) ?? ''}']\n`);
  const found = await run(...get, '--config', config);
  expect(found).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(found.stdout)).toMatchObject({ spec: { host: 'a', port: 1, weight: 1 } });
  const refused = await run(...get);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('start with --service-url net/converter=https://HOST:PORT');
  const stored = await run('get', 'listeners', 'one', '-o', 'json');
  expect(JSON.parse(stored.stdout)).toMatchObject({ spec: { hostPort: 'a:1', weight: 1 } });
});
