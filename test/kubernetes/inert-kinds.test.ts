import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
const NS = '/api/v1/namespaces/default';
const APPS = '/apis/apps/v1/namespaces/default';
const web = { labels: { app: 'web' } };
const template = { metadata: web, spec: { containers: [{ name: 'web', image: 'nginx' }] } };

function deployment(name: string, spec: object = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { selector: { matchLabels: { app: 'web' } }, template, ...spec },
  };
}

let server: KubernetesServer;
beforeAll(async () => {
  server = await startKubernetesServer({ kinds: 'full' });
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

describe('inert kinds', () => {
  it('are in discovery with their short names, categories and sub-resources', async () => {
    const { resources } = (await server.send('GET', '/apis/apps/v1')).json() as unknown as {
      readonly resources: readonly Readonly<Record<string, unknown>>[];
    };
    expect(resources.find(({ name }) => name === 'deployments')).toMatchObject({
      kind: 'Deployment',
      namespaced: true,
      shortNames: ['deploy'],
      categories: ['all'],
    });
    expect(resources.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['deployments/status', 'deployments/scale', 'daemonsets/status']),
    );
    expect(resources.find(({ name }) => name === 'daemonsets/scale')).toBeUndefined();
  });

  it('get the defaults that clients rely on', async () => {
    const { spec } = (await server.post(`${APPS}/deployments`, deployment('defaults'))).json();
    expect(spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      template: {
        spec: {
          restartPolicy: 'Always',
          dnsPolicy: 'ClusterFirst',
          terminationGracePeriodSeconds: 30,
          containers: [{ name: 'web', image: 'nginx', imagePullPolicy: 'Always', resources: {} }],
        },
      },
    });
    const service = { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } };
    const made = (
      await server.post(`${NS}/services`, { apiVersion: 'v1', kind: 'Service', ...service })
    ).json();
    expect(made).toMatchObject({
      spec: {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      },
      status: { loadBalancer: {} },
    });
  });

  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['localhost:5000/nginx', 'Always'],
    ['nginx:1.29', 'IfNotPresent'],
    ['localhost:5000/nginx:1.29', 'IfNotPresent'],
    [`nginx@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
  ])('have the pull policy of an image: %s', async (image, policy) => {
    const pod = { metadata: { generateName: 'pod-' }, spec: { containers: [{ name: 'a', image }] } };
    const made = (await server.post(`${NS}/pods`, { apiVersion: 'v1', kind: 'Pod', ...pod })).json();
    expect(made.spec).toMatchObject({ containers: [{ imagePullPolicy: policy }] });
    expect(made.status).toEqual({ phase: 'Pending' });
  });

  it('are refused with the place when a field has another type, or a required one is absent', async () => {
    const wrong = await server.send('POST', `${APPS}/deployments`, {
      body: deployment('wrong', {
        replicas: 'three',
        template: { spec: { containers: [{ image: 'nginx', ports: 'http' }] } },
      }),
    });
    expect(wrong.status).toBe(422);
    const { causes } = wrong.json().details as unknown as { causes: { field: string }[] };
    expect(causes.map(({ field }) => field).sort()).toEqual([
      'spec.replicas',
      'spec.template.spec.containers[0].name',
      'spec.template.spec.containers[0].ports',
    ]);
    for (const spec of [7, 'text', [], { template: [] }, { template: { spec: { containers: {} } } }]) {
      const body = { ...deployment('wrong'), spec };
      expect((await server.send('POST', `${APPS}/deployments`, { body })).status).toBe(422);
    }
    expect((await server.send('GET', `${APPS}/deployments/wrong`)).status).toBe(404);
  });

  it('drop unknown fields with a warning, and refuse them when that is strict', async () => {
    const body = deployment('unknown', { replica: 2 });
    const strict = `${APPS}/deployments?fieldValidation=Strict`;
    expect((await server.send('POST', strict, { body })).status).toBe(400);
    const made = await server.send('POST', `${APPS}/deployments`, { body });
    expect([made.status, made.headers.warning]).toEqual([201, expect.stringContaining('spec.replica')]);
    expect(made.json().spec).not.toHaveProperty('replica');
  });

  it('merge lists by their keys in strategic patches', async () => {
    await server.post(`${APPS}/deployments`, deployment('patched'));
    const containers = [
      { name: 'side', image: 'busybox:1' },
      { name: 'web', env: [{ name: 'A', value: '1' }] },
    ];
    const body = { spec: { template: { spec: { containers } } } };
    const target = `${APPS}/deployments/patched`;
    const patched = await server.send('PATCH', target, { body, headers: STRATEGIC });
    expect(patched.json().spec).toMatchObject({
      template: {
        spec: {
          containers: [
            { name: 'side', image: 'busybox:1' },
            { name: 'web', image: 'nginx', env: [{ name: 'A', value: '1' }] },
          ],
        },
      },
    });
  });

  it('have a status of their own, and a scale', async () => {
    const body = { ...deployment('scaled'), status: { replicas: 5 } };
    expect((await server.post(`${APPS}/deployments`, body)).json()).not.toHaveProperty('status.replicas');
    const target = `${APPS}/deployments/scaled`;
    const scale = (await server.send('GET', `${target}/scale`)).json();
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 1 }, status: { selector: 'app=web' } });
    const merge = { headers: { 'content-type': 'application/merge-patch+json' } };
    const patch = { ...merge, body: { spec: { replicas: 3 } } };
    expect((await server.send('PATCH', `${target}/scale`, patch)).status).toBe(200);
    const status = { ...merge, body: { status: { replicas: 3, readyReplicas: 2 }, spec: { replicas: 9 } } };
    await server.send('PATCH', `${target}/status`, status);
    const stored = (await server.send('GET', target)).json();
    expect(stored).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 3, readyReplicas: 2 } });
    expect(stored.metadata.generation).toBe(2);
  });

  it('are shown in tables with their columns', async () => {
    await server.post(`${APPS}/deployments`, deployment('shown'));
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = (
      await server.send('GET', `${APPS}/deployments/shown`, { headers: { accept } })
    ).json() as unknown as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    const names = table.columnDefinitions.map(({ name }) => name);
    expect(names.slice(0, 5)).toEqual(['Name', 'Desired', 'Ready', 'Up-to-date', 'Available']);
    expect(table.rows[0]?.cells.slice(0, 2)).toEqual(['shown', 1]);
    expect(table.rows[0]?.cells[names.indexOf('Images')]).toBe('nginx');
  });

  it('are selected by the fields that Kubernetes has for them', async () => {
    const pod = { spec: { nodeName: 'n1', containers: [{ name: 'a', image: 'b' }] } };
    const made = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'placed' }, ...pod };
    await server.post(`${NS}/pods`, made);
    const found = await server.send(
      'GET',
      '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1,status.phase%3DPending',
    );
    const { items } = found.json() as unknown as { items: { metadata: { name: string } }[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['placed']);
    const waiting = { ...made, metadata: { name: 'waiting' }, spec: { containers: pod.spec.containers } };
    await server.post(`${NS}/pods`, waiting);
    const selector = 'metadata.name%3Dwaiting,spec.nodeName%3D';
    expect((await server.get(`/api/v1/pods?fieldSelector=${selector}`)).json()).toMatchObject({ total: 1 });
  });

  it('are autoscalers in two versions, which are the same objects', async () => {
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const path = '/namespaces/default/horizontalpodautoscalers';
    await server.post(`/apis/autoscaling/v1${path}`, {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 60 },
    });
    const v2 = (await server.send('GET', `/apis/autoscaling/v2${path}/web`)).json();
    const cpu = {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
    };
    const memory = {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 70 } },
    };
    expect(v2.spec).toEqual({ scaleTargetRef, minReplicas: 1, maxReplicas: 5, metrics: [cpu] });
    const body = { ...v2, spec: { ...(v2.spec as object), metrics: [memory, cpu] } };
    expect((await server.send('PUT', `/apis/autoscaling/v2${path}/web`, { body })).status).toBe(200);
    const v1 = (await server.send('GET', `/apis/autoscaling/v1${path}/web`)).json();
    expect(v1.spec).toEqual({
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 60,
    });
    expect(v1.metadata.annotations).toEqual({
      'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify([memory]),
    });
    expect((await server.send('PUT', `/apis/autoscaling/v1${path}/web`, { body: v1 })).status).toBe(200);
    const again = (await server.send('GET', `/apis/autoscaling/v2${path}/web`)).json();
    expect(again.spec).toMatchObject({ metrics: [memory, cpu] });
    expect(again.metadata).not.toHaveProperty('annotations');
  });

  it('have names in the form of their kind', async () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', rules: [] };
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    await server.post(roles, { ...role, metadata: { name: 'system:Example_1' } });
    const found = await server.send('GET', `${roles}/${encodeURIComponent('system:Example_1')}`);
    expect(found.json().metadata.name).toBe('system:Example_1');
    for (const name of ['..', 'a/b', 'a%2fb', 'a b', '-a', 'a\n', 'ü', 'a'.repeat(254)])
      expect((await server.send('POST', roles, { body: { ...role, metadata: { name } } })).status).toBe(422);
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a.b' }, spec: {} };
    expect((await server.send('POST', `${NS}/services`, { body: service })).status).toBe(422);
  });

  it('are refused when they are too large or too deep', async () => {
    const large = deployment('large', { template: { metadata: web, spec: { containers: 'x'.repeat(4e6) } } });
    expect((await server.send('POST', `${APPS}/deployments`, { body: large })).status).toBe(413);
    const deep = `{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`;
    const body = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"deep"},"spec":${deep}}`;
    expect((await server.send('POST', `${APPS}/deployments`, { body })).status).toBe(400);
    const containers = Array.from({ length: 5_000 }, (_, i) => ({ name: `c${i}`, image: 'nginx' }));
    const many = deployment('many', { template: { metadata: web, spec: { containers } } });
    expect((await server.send('POST', `${APPS}/deployments`, { body: many })).status).toBe(201);
  });

  it('are 404 without `full`, and aggregated APIs always', async () => {
    const plain = await startKubernetesServer();
    try {
      expect((await plain.send('GET', `${NS}/pods`)).status).toBe(404);
      expect((await plain.send('GET', '/apis/apps/v1')).status).toBe(404);
    } finally {
      await plain.close();
    }
    expect((await server.send('GET', '/apis/apiregistration.k8s.io/v1/apiservices')).status).toBe(404);
    expect((await server.send('GET', '/api/v1/componentstatuses')).status).toBe(404);
  });
});

// A kube-apiserver v1.37.2 answers the same.
describe('items with the same key', () => {
  const pod = (name: string, spec: object = {}, container: object = {}): object => ({
    metadata: { name },
    spec: { containers: [{ name: 'a', image: 'a', ...container }], ...spec },
  });
  const twice = <T>(item: T): readonly T[] => [item, item];

  it.each([
    ['variables of a container', 201, pod('env', {}, { env: twice({ name: 'A', value: '1' }) })],
    ['ports of a container', 201, pod('ports', {}, { ports: twice({ containerPort: 1 }) })],
    ['secrets for images', 201, pod('secrets', { imagePullSecrets: twice({ name: 'a' }) })],
    ['names of hosts', 201, pod('hosts', { hostAliases: twice({ ip: '1.1.1.1' }) })],
    ['containers', 422, pod('containers', { containers: twice({ name: 'a', image: 'a' }) })],
    ['volumes', 422, pod('volumes', { volumes: twice({ name: 'a', emptyDir: {} }) })],
  ])('%s: %i', async (_, status, body) => {
    expect(await server.send('POST', `${NS}/pods`, { body })).toMatchObject({ status });
  });

  it('may be conditions of a status, which go on as they are', async () => {
    const made = (await server.post(`${NS}/pods`, pod('conditions'))).json();
    const conditions = twice({ type: 'Ready', status: 'True' });
    const status = { phase: 'Running', conditions };
    const answer = await server.send('PUT', `${NS}/pods/conditions/status`, { body: { ...made, status } });
    expect(answer.json().status).toMatchObject(status);
    const labels = { a: 'a' };
    const patch = { body: { metadata: { labels } }, headers: STRATEGIC };
    const patched = await server.send('PATCH', `${NS}/pods/conditions`, patch);
    expect(patched.json()).toMatchObject({ metadata: { labels }, status });
  });

  it('are ports of a Service only once', async () => {
    const body = { metadata: { name: 'twice' }, spec: { ports: twice({ name: 'a', port: 1 }) } };
    expect(await server.send('POST', `${NS}/services`, { body })).toMatchObject({ status: 422 });
  });
});
