import { describe, expect, it } from 'vitest';
import { AdmissionSuite, map, MAPS, MERGE } from '../../helpers/admission-suite.js';
import {
  configuration,
  denied,
  ruleOf,
  startAdmissionReceiver,
  VALIDATING,
  webhookEntry,
} from '../../helpers/admission-webhook.js';

const suite = new AdmissionSuite(1);
const send: AdmissionSuite['send'] = (...given) => suite.send(...given);

describe('a validating webhook', () => {
  it('is asked about creates, updates and deletions, and sees the objects of both sides', async () => {
    await suite.validate();
    await suite.server.post(MAPS, map('a', { data: { k: '1' } }));
    expect((await send('PATCH', `${MAPS}/a`, { data: { k: '2' } }, MERGE)).status).toBe(200);
    expect((await send('DELETE', `${MAPS}/a`)).status).toBe(200);
    const [create, update, remove] = suite.hook().requests;
    expect(create).toMatchObject({
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'a',
      namespace: 'default',
      userInfo: { username: 'system:anonymous' },
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '1' } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
    expect(create?.object?.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(create?.object?.metadata).not.toHaveProperty('resourceVersion');
    expect(update).toMatchObject({
      operation: 'UPDATE',
      object: { data: { k: '2' } },
      oldObject: { data: { k: '1' }, metadata: { uid: create?.object?.metadata.uid } },
      options: { kind: 'UpdateOptions' },
    });
    expect(remove).toMatchObject({ operation: 'DELETE', object: null, oldObject: { data: { k: '2' } } });
    expect(new Set(suite.hook().requests.map(({ uid }) => uid)).size).toBe(3);
  });

  it('refuses a write with its message, and with the code and the details of its status', async () => {
    await suite.validate();
    suite.hook().decide = () =>
      denied('no', 422, { details: { causes: [{ field: 'data', message: 'bad' }] } });
    const answer = await send('POST', MAPS, map('a'));
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      reason: 'Invalid',
      message: 'admission webhook "check.example.com" denied the request: no',
      details: { causes: [{ field: 'data', message: 'bad' }] },
    });
    expect((await send('GET', `${MAPS}/a`)).status).toBe(404);
  });

  it.each([
    [denied('no'), 400, 'BadRequest', ': no'],
    [denied('no', 403), 403, 'Forbidden', ': no'],
    [denied('no', 200), 400, 'BadRequest', ': no'],
    [denied('no', 409, { reason: 'AlreadyExists' }), 409, 'AlreadyExists', ': no'],
    [denied('no', 409), 409, 'Conflict', ': no'],
    [denied('no', 99_999), 500, 'InternalError', ': no; see the service log, id '],
    [denied('no', 500), 500, 'InternalError', ': no; see the service log, id '],
    [denied(undefined, 403, { reason: 'Quota' }), 403, 'Forbidden', ': Quota'],
    [{ allowed: false }, 400, 'BadRequest', ' without explanation'],
  ])('that denies with %j is answered with %i %s', async (decision, status, reason, end) => {
    await suite.validate();
    suite.hook().decide = () => decision;
    const answer = await send('POST', MAPS, map('a'));
    expect(answer.status).toBe(status);
    expect(answer.body.reason).toBe(reason);
    expect(answer.body.message.replace(/(?<=, id ).+/u, '')).toBe(
      `admission webhook "check.example.com" denied the request${end}`,
    );
  });

  it('may warn', async () => {
    await suite.validate();
    suite.hook().decide = () => ({ allowed: true, warnings: ['old style'] });
    const answer = await send('POST', MAPS, map('a'));
    expect(answer.headers.warning).toContain('"old style"');
  });

  it('is asked about dry runs, which store nothing', async () => {
    await suite.validate();
    expect((await send('POST', `${MAPS}?dryRun=All`, map('a'))).status).toBe(201);
    expect(suite.hook().requests[0]).toMatchObject({ dryRun: true, options: { dryRun: ['All'] } });
    expect((await send('GET', `${MAPS}/a`)).status).toBe(404);
  });

  it('is asked about each item of a batch, and refuses the whole', async () => {
    await suite.validate();
    suite.hook().decide = ({ name }) => (name === 'b' ? denied('not b') : { allowed: true });
    const answer = await send('POST', '/apis/api.platform.run/v1alpha1/batches', {
      items: ['a', 'b', 'c'].map((name) => ({
        verb: 'create',
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } },
      })),
    });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toBe(
      'items[1]: admission webhook "check.example.com" denied the request: not b',
    );
    expect(
      suite
        .hook()
        .requests.map(({ name }) => name)
        .sort(),
    ).toEqual(['a', 'b', 'c']);
    expect((await send('GET', MAPS)).body.items).toHaveLength(0);
  });

  it('is asked about each object of a deleted collection', async () => {
    await suite.validate({ rules: [ruleOf('', 'configmaps', 'DELETE')] });
    for (const name of ['a', 'b']) await suite.server.post(MAPS, map(name));
    expect((await send('DELETE', MAPS)).status).toBe(200);
    expect(
      suite
        .hook()
        .requests.map(({ name, operation }) => `${operation} ${name ?? ''}`)
        .sort(),
    ).toEqual(['DELETE a', 'DELETE b']);
  });

  it('is not asked any more when its configuration is gone, or names other writes', async () => {
    await suite.validate();
    suite.hook().decide = () => denied('no');
    expect((await send('POST', MAPS, map('a'))).status).toBe(400);
    const rules = [{ op: 'replace', path: '/webhooks/0/rules/0/operations', value: ['DELETE'] }];
    const patch = await send('PATCH', `${VALIDATING}/one`, rules, 'application/json-patch+json');
    expect(patch.status).toBe(200);
    expect((await send('POST', MAPS, map('a'))).status).toBe(201);
    expect((await send('DELETE', `${MAPS}/a`)).status).toBe(400);
    expect((await send('DELETE', `${VALIDATING}/one`)).status).toBe(200);
    expect((await send('DELETE', `${MAPS}/a`)).status).toBe(200);
  });

  it('is never asked about configurations of admission, and about the platform', async () => {
    await suite.validate({ rules: [ruleOf('*', '*/*')] });
    suite.hook().decide = () => denied('no');
    expect((await send('POST', MAPS, map('a'))).status).toBe(400);
    const other = configuration('ValidatingWebhookConfiguration', 'two', webhookEntry(suite.hook()));
    expect((await send('POST', VALIDATING, other)).status).toBe(201);
    expect((await send('DELETE', `${VALIDATING}/two`)).status).toBe(200);
    expect((await send('DELETE', `${VALIDATING}/one`)).status).toBe(200);
  });

  it('sees the user', async () => {
    await suite.validate();
    await suite.server.service.create(
      { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } },
      { user: 'ada', groups: ['dev'] },
    );
    expect(suite.hook().requests[0]?.userInfo).toEqual({
      username: 'ada',
      groups: ['dev', 'system:authenticated'],
    });
  });
});

describe('several validating webhooks', () => {
  it('must all accept; the first refusal in the order of names is told', async () => {
    const other = await startAdmissionReceiver();
    const entry = webhookEntry(other, { name: 'other.example.com' });
    await suite.server.post(VALIDATING, configuration('ValidatingWebhookConfiguration', 'a', entry));
    await suite.validate();
    other.decide = () => denied('other');
    suite.hook().decide = () => denied('mine');
    expect((await send('POST', MAPS, map('a'))).body.message).toContain(
      '"other.example.com" denied the request: other',
    );
    other.decide = () => ({ allowed: true });
    expect((await send('POST', MAPS, map('a'))).body.message).toContain('denied the request: mine');
    await other.stop();
  });
});
