import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ALLOWED,
  configuration,
  ruleOf,
  startAdmissionReceiver,
  VALIDATING,
  webhookEntry,
  type AdmissionReceiver,
} from '../../helpers/admission-webhook.js';
import { runCli } from '../../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { waitFor } from '../../helpers/kubernetes.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

let hook: AdmissionReceiver;
const MAPS = '/api/v1/namespaces/default/configmaps';

beforeAll(async () => {
  hook = await startAdmissionReceiver();
});
beforeEach(() => {
  hook.requests.length = 0;
});
afterEach(killDaemons);
afterAll(async () => {
  await hook.stop();
  removeDirectories();
});

const map = (name: string): object => ({ metadata: { name } });

function start(dataDir: string): Promise<DaemonProcess> {
  return startDaemonProcess({ dataDir, flags: ['--kubernetes', 'full'] });
}

async function ask(daemon: DaemonProcess, members: object = {}): Promise<void> {
  const body = configuration('ValidatingWebhookConfiguration', 'one', webhookEntry(hook, members));
  expect((await daemon.send('POST', VALIDATING, { body })).status).toBe(201);
}

describe('a daemon with webhooks', () => {
  it('that is killed during a review has stored nothing, and asks again after its start', async () => {
    const dataDir = temporaryDirectory();
    const daemon = await start(dataDir);
    await ask(daemon);
    hook.decide = () => new Promise(() => undefined);
    const write = daemon.send('POST', MAPS, { body: map('a') }).catch(() => undefined);
    await waitFor(
      () => Promise.resolve(hook.requests.length),
      (count) => count === 1,
    );
    daemon.signal('SIGKILL');
    await daemon.exited;
    await write;
    hook.decide = () => ALLOWED;
    const next = await start(dataDir);
    expect((await next.get(`${MAPS}/a`)).status).toBe(404);
    expect((await next.send('POST', MAPS, { body: map('a') })).status).toBe(201);
    expect(hook.requests).toHaveLength(2);
    await next.stop();
  });

  it('that is stopped during a review, like the webhook, goes on when both do', async () => {
    const daemon = await start(temporaryDirectory());
    await ask(daemon, { timeoutSeconds: 1 });
    const answers: (() => void)[] = [];
    hook.decide = () => new Promise((resolve) => answers.push(() => resolve(ALLOWED)));
    const writes = ['late', 'in-time'].map((name) => daemon.send('POST', MAPS, { body: map(name) }));
    await waitFor(
      () => Promise.resolve(answers.length),
      (count) => count === 2,
    );
    daemon.signal('SIGSTOP');
    // One answer waits for the daemon; the other one comes after the timeout.
    answers[hook.requests.findIndex(({ name }) => name === 'in-time')]?.();
    await sleep(2_000);
    daemon.signal('SIGCONT');
    const [late, inTime] = await Promise.all(writes);
    expect(late?.status).toBe(500);
    expect(late?.json().message).toContain('no answer within 1000 ms');
    // Both are ready at the same moment then.
    expect([201, 500]).toContain(inTime?.status);
    expect((await daemon.get(`${MAPS}/late`)).status).toBe(404);
    expect((await daemon.get(`${MAPS}/in-time`)).status).toBe(inTime?.status === 201 ? 200 : 404);
    hook.decide = () => ALLOWED;
    expect((await daemon.send('POST', MAPS, { body: map('late') })).status).toBe(201);
    await daemon.stop();
  });

  it('leaves a store on which commands write only what nobody must be asked about', async () => {
    const dataDir = temporaryDirectory();
    const daemon = await start(dataDir);
    await ask(daemon, { rules: [ruleOf('', 'configmaps', 'CREATE')] });
    await daemon.stop();
    const run = (...args: readonly string[]) =>
      runCli([...args, '--data-dir', dataDir, '--plugins', temporaryDirectory()], {
        env: { XSVC_KUBERNETES: 'full' },
        cwd: dataDir,
        stdin: JSON.stringify({
          apiVersion: 'v1',
          kind: args[1] === 'secret' ? 'Secret' : 'ConfigMap',
          metadata: { name: 'a', namespace: 'default' },
        }),
      });
    const refused = await run('apply', '-f', '-');
    expect(refused.code).toBe(6);
    expect(refused.err).toContain('only a running daemon asks them');
    expect((await run('get', 'configmaps', '-n', 'default')).code).toBe(0);
    const removed = await run('delete', 'validatingwebhookconfigurations', 'one', '--yes');
    expect(removed).toMatchObject({ code: 0 });
    expect((await run('apply', '-f', '-')).code).toBe(0);
  });
});
