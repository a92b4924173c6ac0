import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../src/errors.js';
import { ROLES } from '../../src/access/models.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import { openWidgets, WIDGET_REF, widget } from '../helpers/namespaced.js';
import { openStream } from '../helpers/watching.js';
import { registerTickets, TICKET } from '../helpers/tickets.js';

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

describe('a rule about a model in several versions', () => {
  const t = useGuardedLibrary({ register: registerTickets });
  const rule = { apiGroups: ['desk.example.com'], resources: ['tickets'], verbs: VERBS };
  const path = (version: string, name = ''): string => `/apis/desk.example.com/${version}/tickets${name}`;

  it('hides fields that a version has under another name', async () => {
    const place = { city: 'Bern', zip: '3000' };
    await t
      .service()
      .create(TICKET, { metadata: { name: 'a' }, spec: { title: 'ann', tags: ['vip'], place } });
    await t.service().create(TICKET, { metadata: { name: 'b' }, spec: { title: 'bob', tags: [], place } });
    const limits = { filter: 'spec.title == user', fields: { read: ['spec.title', 'spec.tags'] } };
    const ann = await t.tokenFor('ann', { ...rule, ...limits });
    const specs = async (version: string): Promise<unknown[]> =>
      (await t.as(ann, 'GET', path(version))).json().items.map(({ spec }) => spec);
    expect(await specs('v1')).toEqual([{ title: 'ann', tags: ['vip'] }]);
    expect(await specs('v1alpha1')).toEqual([{ tags: ['vip'] }]);
    expect(await specs('v1beta1')).toEqual([{ tags: ['vip'] }]);
    for (const version of ['v1', 'v1alpha1', 'v1beta1'])
      expect((await t.as(ann, 'GET', path(version, '/b'))).status).toBe(404);
    const change = { spec: { tags: ['vip', 'new'] } };
    const type = 'application/merge-patch+json';
    expect((await t.as(ann, 'PATCH', path('v1alpha1', '/a'), change, type)).status).toBe(200);
    expect((await t.service().get(TICKET, 'a')).spec).toMatchObject({
      title: 'ann',
      tags: ['vip', 'new'],
      place,
    });
  });

  it('names the fields of the version in which objects are stored', async () => {
    const create = t.service().create(ROLES, {
      metadata: { name: 'wrong' },
      rules: [{ ...rule, filter: 'spec.subject == user' }],
    });
    const error = await create.then(
      () => undefined,
      (reason: unknown) => reason as ServiceError,
    );
    expect(error?.details.causes?.[0]).toMatchObject({
      field: 'rules[0].filter',
      message: expect.stringMatching(/^for tickets of desk.example.com\/v1: /) as string,
    });
  });

  it('is about the same objects in a watch of any version', async () => {
    await t.service().create(TICKET, { metadata: { name: 'a' }, spec: { title: 'ann', tags: ['vip'] } });
    await t.service().create(TICKET, { metadata: { name: 'b' }, spec: { title: 'bob' } });
    const ann = await t.tokenFor('ann', { ...rule, filter: 'spec.title == user' });
    const stream = await openStream(
      `${t.url()}${path('v1alpha1')}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true`,
      { authorization: `Bearer ${ann}` },
    );
    await stream.take(2);
    await t.service().patch(TICKET, 'b', { spec: { title: 'ann' } }, 'merge');
    const events = await stream.take(3);
    expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ['ADDED', 'a'],
      ['BOOKMARK', undefined],
      ['ADDED', 'b'],
    ]);
    expect(events[2]?.object).toMatchObject({ spec: { subject: 'ann' } });
    stream.destroy();
  });
});

describe('a rule about a namespaced model', () => {
  const t = useGuardedLibrary({ register: openWidgets });
  const rule = { apiGroups: ['shop.example.com'], resources: ['widgets'], verbs: VERBS };
  const base = '/apis/shop.example.com/v1';

  it('may be about namespaces and labels', async () => {
    for (const [namespace, name, size] of [
      ['red', 'a', 1],
      ['red', 'b', 2],
      ['blue', 'a', 2],
    ] as const)
      await t.service().create(WIDGET_REF, widget(namespace, name, size));
    const inRed = await t.tokenFor('ann', { ...rule, filter: 'metadata.namespace == "red"' });
    const list = (await t.as(inRed, 'GET', `${base}/widgets?page=1&size=9`)).json();
    expect([list.total, list.items.map(({ metadata }) => metadata.name)]).toEqual([2, ['a', 'b']]);
    expect((await t.as(inRed, 'GET', `${base}/namespaces/blue/widgets/a`)).status).toBe(404);
    expect((await t.as(inRed, 'GET', `${base}/namespaces/red/widgets/a`)).status).toBe(200);
    const moved = await t.as(
      inRed,
      'POST',
      `${base}/namespaces/blue/widgets`,
      widget('blue', 'n', 1),
      'application/json',
    );
    expect(moved.status).toBe(403);
    const even = await t.tokenFor('bob', { ...rule, filter: 'metadata.labels["parity"] == "even"' });
    const other = (await t.as(even, 'GET', `${base}/widgets?page=1&size=9`)).json();
    expect(
      other.items.map(({ metadata }) => `${String(metadata.namespace)}/${String(metadata.name)}`),
    ).toEqual(['blue/a', 'red/b']);
    expect((await t.as(even, 'GET', `${base}/namespaces/red/widgets/a`)).status).toBe(404);
  });
});
