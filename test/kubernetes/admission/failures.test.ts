import { describe, expect, it } from 'vitest';
import { AdmissionSuite, map, MAPS, MERGE } from '../../helpers/admission-suite.js';
import {
  ALLOWED,
  configuration,
  denied,
  MUTATING,
  patched,
  sendReview,
  startAdmissionReceiver,
  VALIDATING,
  webhookEntry,
  type AdmissionReceiver,
} from '../../helpers/admission-webhook.js';
import { waitFor } from '../../helpers/kubernetes.js';

const suite = new AdmissionSuite(1);
const send: AdmissionSuite['send'] = (...given) => suite.send(...given);

const REFUSED = /^Internal error occurred: failed calling webhook "check\.example\.com": /;

describe('a webhook that cannot be asked', () => {
  it.each<[string, NonNullable<AdmissionReceiver['raw']>, string]>([
    [
      'answers with 500',
      (res) => {
        res.statusCode = 500;
        res.end('broken');
      },
      'failed to call webhook: it answered with the status 500',
    ],
    [
      'answers without JSON',
      (res) => res.end('<html>'),
      'failed to call webhook: its answer is no JSON object',
    ],
    ['cuts the connection', (res) => res.destroy(), 'failed to call webhook: Post "https://127.0.0.1:'],
    [
      'answers with another uid',
      (res) => sendReview(res, { response: { uid: 'other', allowed: true } }),
      'received invalid webhook response: expected response.uid="',
    ],
    ['answers without a response', (res) => sendReview(res, {}), 'webhook response was absent'],
    [
      'answers with another version',
      (res, { uid }) =>
        sendReview(res, { apiVersion: 'admission.k8s.io/v1beta1', response: { uid, allowed: true } }),
      'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview',
    ],
    [
      'validates, and answers with a patch',
      (res, { uid }) => sendReview(res, { response: { uid, ...patched() } }),
      'validating webhook may not return response.patch',
    ],
  ])('because it %s refuses the write, unless failures are ignored', async (_why, raw, reason) => {
    await suite.validate();
    suite.hook().raw = raw;
    const { status, body } = await send('POST', MAPS, map('a'));
    expect(status).toBe(500);
    expect(body.message).toMatch(REFUSED);
    expect(body.message).toContain(reason);
    expect((await send('GET', `${MAPS}/a`)).status).toBe(404);
    const ignored = { webhooks: [webhookEntry(suite.hook(), { failurePolicy: 'Ignore' })] };
    expect((await send('PATCH', `${VALIDATING}/one`, ignored, MERGE)).status).toBe(200);
    expect((await send('POST', MAPS, map('a'))).status).toBe(201);
  });

  it('because its answer is endless refuses the write', async () => {
    await suite.validate();
    suite.hook().raw = (res) => {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const more = (): void => {
        while (!res.destroyed && res.write(chunk));
        if (!res.destroyed) res.once('drain', more);
      };
      more();
    };
    const { status, body } = await send('POST', MAPS, map('a'));
    expect(status).toBe(500);
    expect(body.message).toContain('its answer is longer than');
  });

  it('because it is slow refuses the write after its timeout', async () => {
    await suite.validate({ timeoutSeconds: 1 });
    suite.hook().raw = () => undefined;
    const began = performance.now();
    const { status, body } = await send('POST', MAPS, map('a'));
    expect(status).toBe(500);
    expect(body.message).toContain('no answer within 1000 ms');
    expect(performance.now() - began).toBeGreaterThan(990);
  });

  it.each([
    ['deleted', 'Fail', 500],
    ['deleted', 'Ignore', 201],
    ['sent to another address', 'Fail', 500],
  ])(
    'because it is silent no longer delays a write when it is %s; with %s: %d',
    async (what, policy, status) => {
      await suite.validate({ timeoutSeconds: 30, failurePolicy: policy });
      suite.hook().raw = () => undefined;
      const answer = send('POST', MAPS, map('a'));
      await waitFor(
        () => Promise.resolve(suite.hook().requests.length),
        (count) => count === 1,
      );
      const moved = webhookEntry(suite.hook(), { clientConfig: { url: 'https://127.0.0.1:1/' } });
      const ended = await (what === 'deleted'
        ? send('DELETE', `${VALIDATING}/one`)
        : send('PATCH', `${VALIDATING}/one`, { webhooks: [moved] }, MERGE));
      expect(ended.status).toBe(200);
      const { body, ...got } = await answer;
      expect(got.status).toBe(status);
      if (status === 500) expect(body.message).toContain('its configuration was deleted or changed');
    },
  );

  it('yet is waited for while other configurations, and other fields of its own, change', async () => {
    await suite.validate({ timeoutSeconds: 30 });
    let answerNow = (): void => undefined;
    suite.hook().raw = (res, { uid }) => {
      answerNow = () => sendReview(res, { response: { uid, allowed: true } });
    };
    const answer = send('POST', MAPS, map('a'));
    await waitFor(
      () => Promise.resolve(suite.hook().requests.length),
      (count) => count === 1,
    );
    await suite.validate({}, 'two');
    await send('PATCH', `${VALIDATING}/one`, { metadata: { labels: { a: 'b' } } }, MERGE);
    expect((await send('DELETE', `${VALIDATING}/two`)).status).toBe(200);
    answerNow();
    expect((await answer).status).toBe(201);
  });

  it('because nobody listens can be taken away', async () => {
    const gone = await startAdmissionReceiver();
    await gone.stop();
    await suite.server.post(
      VALIDATING,
      configuration(
        'ValidatingWebhookConfiguration',
        'gone',
        webhookEntry(gone, {
          rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
        }),
      ),
    );
    expect((await send('POST', MAPS, map('a'))).body.message).toMatch(REFUSED);
    expect((await send('DELETE', `${VALIDATING}/gone`)).status).toBe(200);
    expect((await send('POST', MAPS, map('a'))).status).toBe(201);
  });

  it('because its service has no address says what to do', async () => {
    await suite.validate({ clientConfig: { service: { namespace: 'shop', name: 'hooks' } } });
    const { body } = await send('POST', MAPS, map('a'));
    expect(body.message).toContain('--service-url shop/hooks=https://HOST:PORT');
  });

  it('or that refuses the dry run of another webhook leaves the store as it is', async () => {
    await suite.validate();
    suite.hook().decide = () => denied('no');
    const revision = (await send('GET', MAPS)).body.metadata.resourceVersion;
    expect((await send('POST', `${MAPS}?dryRun=All`, map('a'))).status).toBe(400);
    expect((await send('GET', MAPS)).body.metadata.resourceVersion).toBe(revision);
  });
});

describe('during a review', () => {
  it('the object may change: the webhook is asked again about what is stored then', async () => {
    await suite.server.post(MAPS, map('a', { data: { n: '0' } }));
    await suite.validate();
    let isFirst = true;
    suite.hook().decide = async () => {
      if (isFirst) {
        isFirst = false;
        await suite.server.service.patch(
          { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' },
          'default/a',
          { data: { other: '1' } },
          'merge',
          { isUnreviewed: true },
        );
      }
      return ALLOWED;
    };
    const { status, body } = await send('PATCH', `${MAPS}/a`, { data: { n: '1' } }, MERGE);
    expect(status).toBe(200);
    expect(body.data).toEqual({ n: '1', other: '1' });
    expect(suite.hook().requests).toHaveLength(2);
    expect(suite.hook().requests[1]?.oldObject).toMatchObject({ data: { n: '0', other: '1' } });
  });

  it('a webhook that changes the object each time ends in a conflict', async () => {
    await suite.server.post(MAPS, map('a', { data: { n: '0' } }));
    await suite.server.post(
      MUTATING,
      configuration('MutatingWebhookConfiguration', 'one', webhookEntry(suite.hook())),
    );
    let count = 0;
    suite.hook().decide = async () => {
      await suite.server.service.patch(
        { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' },
        'default/a',
        { data: { count: String(count++) } },
        'merge',
        { isUnreviewed: true },
      );
      return patched({ op: 'add', path: '/data/set', value: 'x' });
    };
    const { status, body } = await send('PATCH', `${MAPS}/a`, { data: { n: '1' } }, MERGE);
    expect(status).toBe(409);
    expect(body.reason).toBe('Conflict');
    expect(suite.hook().requests).toHaveLength(5);
    expect((await send('GET', `${MAPS}/a`)).body.data).toEqual({ n: '0', count: '4' });
  });

  it('its own write of another object is made, which is reviewed as well', async () => {
    await suite.validate();
    suite.hook().decide = async ({ name }) => {
      if (name === 'a') await send('POST', MAPS, map('b'));
      return ALLOWED;
    };
    expect((await send('POST', MAPS, map('a'))).status).toBe(201);
    expect((await send('GET', MAPS)).body.items).toHaveLength(2);
  });

  it('two updates of one state both lead to a result or a conflict', async () => {
    await suite.server.post(MAPS, map('a', { data: { n: '0' } }));
    await suite.validate();
    const patches = ['x', 'y', 'z'].map((key) => send('PATCH', `${MAPS}/a`, { data: { [key]: '1' } }, MERGE));
    expect((await Promise.all(patches)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await send('GET', `${MAPS}/a`)).body.data).toEqual({ n: '0', x: '1', y: '1', z: '1' });
    const old = (await send('GET', `${MAPS}/a`)).body;
    const puts = ['x', 'y'].map((key) => send('PUT', `${MAPS}/a`, { ...old, data: { [key]: '2' } }));
    expect((await Promise.all(puts)).map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('other writes go on', async () => {
    await suite.validate();
    let release = (): void => undefined;
    suite.hook().decide = ({ name }) =>
      name === 'slow' ? new Promise((resolve) => (release = () => resolve(ALLOWED))) : ALLOWED;
    const slow = send('POST', MAPS, map('slow'));
    await waitFor(
      () => Promise.resolve(suite.hook().requests.length),
      (count) => count > 0,
    );
    expect((await send('POST', MAPS, map('fast'))).status).toBe(201);
    release();
    expect((await slow).status).toBe(201);
  });
});
