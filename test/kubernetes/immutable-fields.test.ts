import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

const NS = '/api/v1/namespaces/default';
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const metadata = { name: 'fixed', namespace: 'default' };
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' };

let server: KubernetesServer;
beforeAll(async () => {
  server = await startKubernetesServer({ kinds: 'full' });
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

// Flux, Helm and the tests of controller-runtime look for these words.
describe('fields that cannot change are refused in the words of Kubernetes', () => {
  it.each([
    ['the type of a Secret', `${NS}/secrets`, { type: 'a.com/a' }, { type: 'a.com/b' }, 'field is immutable'],
    [
      'data of an immutable ConfigMap',
      `${NS}/configmaps`,
      { immutable: true, data: { a: 'a' } },
      { immutable: true, data: { a: 'b' } },
      'field is immutable when `immutable` is set',
    ],
    [
      'the role of a RoleBinding',
      `${RBAC}/rolebindings`,
      { roleRef },
      { roleRef: { ...roleRef, name: 'b' } },
      'field is immutable',
    ],
  ])('%s', async (_what, path, before, after, words) => {
    await server.post(path, { metadata, ...before });
    const answer = await server.send('PUT', `${path}/fixed`, { body: { metadata, ...after } });
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.json().message).toContain(words);
  });

  it('what a new event is about', async () => {
    const made = {
      metadata,
      regarding: { kind: 'Pod', namespace: 'default', name: 'a' },
      reason: 'A',
      type: 'Normal',
      action: 'A',
      reportingController: 'a.com/a',
      reportingInstance: 'a',
      eventTime: '2026-01-01T00:00:00.000000Z',
    };
    const path = '/apis/events.k8s.io/v1/namespaces/default/events';
    await server.post(path, made);
    const answer = await server.send('PUT', `${path}/fixed`, { body: { ...made, reason: 'B' } });
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.json().message).toContain('field is immutable');
  });
});
