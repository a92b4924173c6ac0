import { describe, expect, inject, it } from 'vitest';
import type { HttpAnswer, Json } from '../helpers/http.js';
import { fileOf, startClient, titled, useControlPlane, type Client } from './clients.js';

const programs = inject('go');
const SITES = '/apis/web.example.com/v1/namespaces/default/sites';
const PAGES = '/api/v1/namespaces/default/configmaps';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/site-operator';

describe.skipIf('missing' in programs)(titled('two replicas of an operator', programs), () => {
  const plane = useControlPlane();
  let [first, second]: Client[] = [];
  const replica = (name: string): Client => startClient(plane(), fileOf(programs, 'operator'), [name]);

  const get = async (target: string): Promise<Json> => (await plane().daemon.get(target)).json();
  const statusOf = async (target: string): Promise<number> => (await plane().daemon.get(target)).status;
  const create = (name: string, title: string): Promise<HttpAnswer> => {
    const site = { apiVersion: 'web.example.com/v1', kind: 'Site', metadata: { name }, spec: { title } };
    return plane().daemon.send('POST', SITES, { body: site });
  };
  const change = (name: string, spec: object): Promise<HttpAnswer> => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    return plane().daemon.send('PATCH', `${SITES}/${name}`, { body: { spec }, headers });
  };
  const isReady = (message: string): object => ({
    status: { conditions: [{ type: 'Ready', status: 'True', message }] },
  });

  it('elect one of them', async () => {
    first = replica('first');
    await expect.poll(() => first?.output.stdout).toBe('first leads\n');
    second = replica('second');
    await expect.poll(() => second?.output.stderr).toContain('Attempting to acquire leader lease');
  });

  it('write what an object owns, its finalizer and its conditions', async () => {
    await create('one', 'One');
    await expect.poll(() => get(`${SITES}/one`)).toMatchObject(isReady('first published "One"'));
    const { metadata } = await get(`${SITES}/one`);
    expect(metadata.finalizers).toEqual(['web.example.com/unpublish']);
    expect(await get(`${PAGES}/one`)).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Site', name: 'one', uid: metadata.uid, controller: true }] },
      data: { title: 'One' },
    });
  });

  it('find objects by a field index of their cache', async () => {
    await create('two', 'Two');
    await expect.poll(() => get(`${SITES}/two`)).toMatchObject({ status: { sameTheme: 2 } });
    await change('two', { theme: 'dark' });
    await expect.poll(() => get(`${SITES}/two`)).toMatchObject({ status: { sameTheme: 1 } });
  });

  it('create an owned object that was deleted again', async () => {
    const { metadata } = await get(`${PAGES}/one`);
    await plane().daemon.send('DELETE', `${PAGES}/one`);
    await expect.poll(() => statusOf(`${PAGES}/one`)).toBe(200);
    expect((await get(`${PAGES}/one`)).metadata.uid).not.toBe(metadata.uid);
  });

  it('record events that describe the object', async () => {
    const events = `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=one,reason=Published`;
    const messages = async () => (await get(events)).items.map(({ message }) => message);
    await expect.poll(messages).toContain('first published it');
  });

  it('go on when the one that leads is killed', async () => {
    const { spec } = await get(LEASE);
    expect(second?.output.stdout).toBe('');
    first?.signal('SIGKILL');
    await expect.poll(() => second?.output.stdout).toBe('second leads\n');
    expect(await get(LEASE)).toMatchObject({ spec: { leaseTransitions: 1 } });
    expect((await get(LEASE)).spec).not.toMatchObject({ holderIdentity: (spec as Json).holderIdentity });
    await change('one', { title: 'Other' });
    await expect.poll(() => get(`${SITES}/one`)).toMatchObject(isReady('second published "Other"'));
    expect(await get(`${PAGES}/one`)).toMatchObject({ data: { title: 'Other' } });
  });

  it('remove the finalizer of a deleted object', async () => {
    await plane().daemon.send('DELETE', `${SITES}/one`);
    await expect.poll(() => statusOf(`${SITES}/one`)).toBe(404);
    expect(second?.output.stdout).toContain('second unpublished one');
  });

  it('own objects that are deleted with their owner', async () => {
    await expect.poll(() => statusOf(`${PAGES}/one`)).toBe(404);
  });

  it('record events of events.k8s.io', async () => {
    const events = '/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=reason=Wrote';
    expect(await statusOf(events)).toBe(200);
    const notes = async () => (await get(events)).items.map(({ note }) => note);
    await expect.poll(notes).toContain('first wrote the page');
  });
});
