import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runCli, type CliResult } from '../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { startPouring } from '../helpers/pouring.js';
import { answerWith, startReceiver, type Receiver } from '../helpers/receiver.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const receivers: Receiver[] = [];

afterEach(async () => {
  killDaemons();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(removeDirectories);

const WEBHOOKS = '/apis/delivery.platform.run/v1alpha1/webhooks';
const MAPS = '/api/v1/namespaces/default/configmaps';
const MODELS = [{ group: '', kind: 'ConfigMap' }];
const FLAGS = ['--webhook-allow', '127.0.0.1'];

async function receive(): Promise<Receiver> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  return receiver;
}

const start = (dataDir: string, ...flags: string[]): Promise<DaemonProcess> =>
  // An example plugin declares a webhook.
  startDaemonProcess({ dataDir, plugins: [temporaryDirectory()], flags: [...FLAGS, ...flags] });
const webhook = (name: string, url: string, spec: object = {}) => ({
  metadata: { name },
  spec: { url, models: MODELS, ...spec },
});

async function post(daemon: DaemonProcess, target: string, body: object, token = ''): Promise<number> {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
  return (await daemon.send('POST', target, { body, headers })).status;
}

const map = (name: string) => ({ metadata: { name } });

describe('webhooks', () => {
  it('are listed, replayed and measured, on a server and on the store', async () => {
    const [dataDir, receiver] = [temporaryDirectory(), await receive()];
    receiver.answer = (one, response, request) =>
      answerWith(one.body.object.metadata.name === 'bad' ? 500 : 204)(one, response, request);
    const daemon = await start(dataDir);
    const cli = (...argv: string[]): Promise<CliResult> => runCli(['webhook', ...argv], { cwd: dataDir });
    const [remote, local] = [
      ['--server', daemon.url],
      ['--data-dir', dataDir, '--plugins', dataDir],
    ];
    expect(await cli('list', ...remote)).toEqual({ code: 0, out: '', err: 'no webhooks found\n' });
    expect(await post(daemon, WEBHOOKS, webhook('hook', receiver.url, { maxAttempts: 1 }))).toBe(201);
    expect(await post(daemon, MAPS, map('bad'))).toBe(201);
    expect(await post(daemon, MAPS, map('good'))).toBe(201);
    for (const place of [remote, local]) {
      await expect
        .poll(async () => (await cli('list', ...place)).out)
        .toMatch(/^NAME +URL +ENABLED .*\nhook +http:\S+ +true +\d+ +0 +1 +1 +the receiver answered 500/);
      const letters = await cli('deadletters', 'hook', ...place);
      expect(letters.out, letters.err).toMatch(/^REVISION .*\n\d+ +ADDED +ConfigMap +default\/bad +1 /);
      expect(await cli('deadletters', 'nobody', ...place)).toMatchObject({ code: 3 });
      expect(await cli('replay', 'hook', ...place)).toMatchObject({ code: 2 });
      expect(await cli('replay', 'hook', '--from', '99999999', ...place)).toMatchObject({ code: 5 });
    }
    receiver.answer = answerWith(204);
    expect((await cli('replay', 'hook', '--deadletters', ...local)).out).toBe(
      'webhooks/hook: 1 dead letter will be sent again\n',
    );
    await expect.poll(() => receiver.told()).toEqual(['ADDED bad', 'ADDED good', 'ADDED bad']);
    await expect
      .poll(() => cli('deadletters', 'hook', ...remote))
      .toMatchObject({ err: 'no dead letters\n' });
    const from = String(Number(receiver.received[0]?.body.resourceVersion));
    expect((await cli('replay', 'hook', '--from', from, ...remote)).out).toBe(
      `webhooks/hook: changes after revision ${from} will be sent again\n`,
    );
    await expect.poll(() => receiver.told().slice(3)).toEqual(['ADDED good']);
    const { text } = await daemon.get('/metrics');
    expect(text).toContain('xsvc_webhook_attempts_total{webhook="hook",result="failed"} 1');
    expect(text).toContain('xsvc_webhook_attempts_total{webhook="hook",result="delivered"} 3');
    expect(text).toContain('xsvc_webhook_pending{webhook="hook"} 0');
    const wrong = await daemon.send('POST', `${WEBHOOKS}/hook/replay`, { body: { fromRevision: -1 } });
    expect(wrong.status).toBe(400);
    expect((await daemon.send('DELETE', `${WEBHOOKS}/hook/deadletters`)).status).toBe(405);
    await daemon.stop();
  });

  it('need the right to watch their models', async () => {
    const [dataDir, receiver] = [temporaryDirectory(), await receive()];
    const daemon = await start(dataDir, '--auth', 'token');
    const admin = /xsvc_[a-z0-9]{20}_[\w-]{43}/.exec(daemon.output.stdout)?.[0] ?? '';
    const rules = (...more: object[]) => [
      { apiGroups: ['delivery.platform.run'], resources: ['webhooks'], verbs: ['*'] },
      ...more,
    ];
    const watch = { apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] };
    const tokens: string[] = [];
    for (const [name, given] of Object.entries({ writer: rules(), watcher: rules(watch) })) {
      expect(
        await post(
          daemon,
          '/apis/access.platform.run/v1alpha1/roles',
          { metadata: { name }, rules: given },
          admin,
        ),
      ).toBe(201);
      const made = await runCli(
        ['token', 'create', '--user', name, '--role', name, '--server', daemon.url, '--token', admin],
        { cwd: dataDir },
      );
      tokens.push(made.out.trim());
    }
    const [writer = '', watcher = ''] = tokens;
    const body = webhook('hook', receiver.url);
    const refused = await daemon.send('POST', WEBHOOKS, {
      body,
      headers: { authorization: `Bearer ${writer}` },
    });
    expect([refused.status, refused.json().message]).toEqual([
      403,
      'user "writer" may not write webhooks "hook": it passes on changes, and the user may not watch configmaps in group ""',
    ]);
    expect(await post(daemon, WEBHOOKS, body, watcher)).toBe(201);
    const both = [...MODELS, { group: '', kind: 'Secret' }];
    expect(await post(daemon, WEBHOOKS, webhook('more', receiver.url, { models: both }), watcher)).toBe(403);
    expect(await post(daemon, WEBHOOKS, webhook('more', receiver.url, { models: both }), admin)).toBe(201);
    const patch = (token: string, spec: object) =>
      daemon.send('PATCH', `${WEBHOOKS}/hook`, {
        body: { spec },
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/merge-patch+json' },
      });
    expect((await patch(writer, { url: 'http://127.0.0.1:1/' })).status).toBe(403);
    expect((await patch(watcher, { timeout: '5s' })).status).toBe(200);
    // The rights to the object do not include its requests.
    expect(await post(daemon, `${WEBHOOKS}/hook/replay`, { fromRevision: 1 }, watcher)).toBe(403);
    expect(await post(daemon, `${WEBHOOKS}/hook/replay`, { fromRevision: 1 }, admin)).toBe(200);
    await daemon.stop();
  });

  it('leave the service quick while ten receivers send interim answers without an end', async () => {
    const pouring = await startPouring('interim answers 102', 10);
    const daemon = await start(temporaryDirectory());
    for (const [i, url] of pouring.urls.entries())
      expect(await post(daemon, WEBHOOKS, webhook(`hook-${i}`, url))).toBe(201);
    for (let i = 0; i < 20; i++) expect(await post(daemon, MAPS, map(`m-${i}`))).toBe(201);
    const errors = async (): Promise<unknown[]> => {
      const { items } = (await daemon.get(WEBHOOKS)).json() as {
        items: readonly { status?: { lastError?: string } }[];
      };
      return items.map(({ status }) => status?.lastError);
    };
    let longest = 0;
    const ask = async (): Promise<unknown[]> => {
      const began = performance.now();
      expect((await daemon.get('/livez')).status).toBe(200);
      longest = Math.max(longest, performance.now() - began);
      return errors();
    };
    await expect.poll(ask, { interval: 20 }).toEqual(pouring.urls.map(() => 'it sent 10 interim answers'));
    expect(longest).toBeLessThan(1_000);
    pouring.stop();
    await daemon.stop();
  });

  it('go on in another daemon when the one that leads is killed or stopped', async () => {
    const [dataDir, receiver] = [temporaryDirectory(), await receive()];
    const [first, second] = [await start(dataDir), await start(dataDir)];
    expect(await post(second, WEBHOOKS, webhook('hook', receiver.url))).toBe(201);
    expect(await post(second, MAPS, map('a'))).toBe(201);
    await expect.poll(() => receiver.told()).toEqual(['ADDED a']);
    first.signal('SIGKILL');
    await first.exited;
    expect(await post(second, MAPS, map('b'))).toBe(201);
    await expect.poll(() => receiver.told(), { timeout: 20_000 }).toContain('ADDED b');
    const third = await start(dataDir);
    await second.stop();
    const before = receiver.received.length;
    expect(await post(third, MAPS, map('c'))).toBe(201);
    await expect.poll(() => receiver.told().slice(before), { timeout: 20_000 }).toEqual(['ADDED c']);
    await third.stop();
  });
});
