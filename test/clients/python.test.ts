import { beforeAll, describe, expect, inject, it } from 'vitest';
import { fileOf, startClient, titled, tourOf, useControlPlane, type Client } from './clients.js';

const programs = inject('python');
const source = (name: string): string => new URL(`python/${name}`, import.meta.url).pathname;
const SITES = '/apis/web.example.com/v1/namespaces/default/sites';
const EVENTS = '/api/v1/namespaces/default/events';

describe.skipIf('missing' in programs)(titled('the client of Python', programs), () => {
  const plane = useControlPlane();
  let lines: string[] = [];
  beforeAll(async () => {
    lines = await tourOf(plane(), fileOf(programs, 'python'), [source('tour.py')]);
  });

  it.each([
    'typed objects',
    'conflicts',
    'custom objects',
    'watches',
    'the dynamic client',
    'access reviews',
    'collections',
  ])('works with %s', (step) => {
    expect(lines.filter((line) => line.includes(` ${step}`))).toEqual([`ok ${step}`]);
  });
});

describe.skipIf('missing' in programs)(titled('kopf', programs), () => {
  const plane = useControlPlane();
  let operator: Client;
  beforeAll(async () => {
    operator = startClient(plane(), fileOf(programs, 'kopf'), ['run', '-A', source('kopf_operator.py')]);
    const body = { apiVersion: 'web.example.com/v1', kind: 'Site', metadata: { name: 'one' } };
    await send('POST', SITES, { ...body, spec: { title: 'One' } });
  });

  const send = (method: string, target: string, body?: object) =>
    plane().daemon.send(method, target, body === undefined ? {} : { body });
  const site = async () => (await plane().daemon.get(`${SITES}/one`)).json();

  it('calls the handler of a new object, and writes its status and finalizer', async () => {
    await expect.poll(site).toMatchObject({
      metadata: { finalizers: ['kopf.zalando.org/KopfFinalizerMarker'] },
      status: { message: 'One' },
    });
    expect(operator.output.stdout).toBe('created one\n');
  });

  it('calls the handler of a changed field, and writes an event', async () => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    await plane().daemon.send('PATCH', `${SITES}/one`, { body: { spec: { title: 'Two' } }, headers });
    await expect.poll(site).toMatchObject({ status: { message: 'was One' } });
    const reasons = async () => (await plane().daemon.get(EVENTS)).json().items.map(({ reason }) => reason);
    await expect.poll(reasons).toContain('Retitled');
  });

  it('calls the handler of a deletion before the object is deleted', async () => {
    await send('DELETE', `${SITES}/one`);
    await expect.poll(async () => (await plane().daemon.get(`${SITES}/one`)).status).toBe(404);
    expect(operator.output.stdout).toBe('created one\nupdated one from One to Two\ndeleted one\n');
  });
});
