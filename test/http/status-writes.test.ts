import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessRule } from '../../src/access/rules.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import type { HttpAnswer } from '../helpers/http.js';
import { AUTHOR, named } from '../helpers/library.js';

const ANN = '/apis/library.example.com/v1/authors/ann';
const STATUS = `${ANN}/status`;
const rule = (
  verbs: readonly string[],
  resource: string,
  resourceNames: readonly string[] = [],
): AccessRule => ({
  apiGroups: ['library.example.com'],
  resources: [resource],
  verbs,
  resourceNames,
});
const WRITES = rule(['patch', 'update'], 'authors/status');

const { service, as, tokenFor } = useGuardedLibrary();

beforeEach(async () => {
  await service().create(AUTHOR, named('ann', { password: 'hidden' }));
  await service().patch(AUTHOR, 'ann', { status: { phase: 'New' } }, 'merge', {}, 'status');
});

const merge = (token: string, body: unknown, target = STATUS): Promise<HttpAnswer> =>
  as(token, 'PATCH', target, body, 'application/merge-patch+json');
const point = (token: string, ...operations: readonly object[]): Promise<HttpAnswer> =>
  as(token, 'PATCH', STATUS, operations, 'application/json-patch+json');

describe('a user who may write the status of an object, but not read it', () => {
  let writer: string;
  beforeEach(async () => {
    writer = await tokenFor('writer', WRITES);
  });

  it('is answered with metadata and status', async () => {
    for (const answer of [
      await merge(writer, { status: { phase: 'Ready' } }),
      await merge(writer, { status: { phase: 'Ready' } }),
      await merge(writer, { status: { phase: 'Other' } }, `${STATUS}?dryRun=All`),
      await point(writer, { op: 'replace', path: '/status/phase', value: 'Ready' }),
      await as(writer, 'PUT', STATUS, { metadata: { name: 'ann' }, status: { phase: 'Ready' } }),
    ]) {
      expect([answer.status, Object.keys(answer.json())]).toEqual([
        200,
        ['apiVersion', 'kind', 'metadata', 'status'],
      ]);
      expect(answer.text).not.toContain('hidden');
    }
    const yaml = await as(writer, 'PUT', STATUS, { status: {} });
    expect(yaml.json().status).toEqual({});
  });

  it.each([
    [{ op: 'copy', from: '/spec', path: '/status/copy' }],
    [{ op: 'copy', from: '/spec/password', path: '/status/phase' }],
    [{ op: 'copy', from: '', path: '/status/all' }],
    [{ op: 'move', from: '/spec/password', path: '/status/phase' }],
    [{ op: 'test', path: '/spec/password', value: 'hidden' }],
    [{ op: 'test', path: '/spec/password', value: 'wrong' }],
  ])('has nothing else of it copied or tested: %j', async (operation) => {
    const answer = await point(writer, operation);
    expect(answer.text).not.toContain('hidden');
    const { object } = await readAnn();
    expect(JSON.stringify(object.status)).not.toContain('hidden');
    expect(object.spec).toEqual({ password: 'hidden' });
  });

  it('gets the same answer to a test that would hold and to one that would not', async () => {
    const [right, wrong] = await Promise.all(
      ['hidden', 'wrong'].map((value) => point(writer, { op: 'test', path: '/spec/password', value })),
    );
    expect([right?.status, right?.text]).toEqual([wrong?.status, wrong?.text]);
  });

  it('tests and copies what it may see, and writes nothing but the status', async () => {
    const answer = await point(
      writer,
      { op: 'test', path: '/metadata/name', value: 'ann' },
      { op: 'copy', from: '/status/phase', path: '/status/before' },
      { op: 'add', path: '/spec', value: { password: 'mine' } },
    );
    expect([answer.status, answer.json().status]).toEqual([200, { phase: 'New', before: 'New' }]);
    expect((await readAnn()).object.spec).toEqual({ password: 'hidden' });
    expect((await point(writer, { op: 'remove', path: '/status' })).json().status).toBeUndefined();
    expect((await readAnn()).object.status).toBeUndefined();
  });
});

describe('a user who may read the object as well', () => {
  it.each([
    ['it', rule(['get'], 'authors', ['ann'])],
    ['it by its status', rule(['get'], 'authors/status')],
  ])('is answered with all of it: %s', async (who, read) => {
    const both = await tokenFor('both', WRITES, read);
    expect((await merge(both, { status: { who } })).json().spec).toEqual({ password: 'hidden' });
    const copied = await point(both, { op: 'copy', from: '/spec/password', path: '/status/copy' });
    expect(copied.json().status).toMatchObject({ copy: 'hidden' });
  });

  it('another one is not enough', async () => {
    const other = await tokenFor('other', WRITES, rule(['get'], 'authors', ['bob']));
    expect((await merge(other, { status: {} })).json().spec).toBeUndefined();
  });
});

async function readAnn(): Promise<{ object: { readonly spec?: unknown; readonly status?: unknown } }> {
  const [object] = await service().getMany(AUTHOR, ['ann']);
  return { object: object as { readonly spec?: unknown } };
}
