import { afterAll, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import { openTestService, removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const gvk = { group: 'demo.example.com', version: 'v1', kind: 'Job', plural: 'jobs', singular: 'job' };
const text = { type: 'string' };

@GVK(gvk)
class Job extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: { spec: { type: 'object' }, status: { type: 'object', properties: { state: text } } },
  };
}

/** The same model after its author changed the schema. */
@GVK(gvk)
class StricterJob extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['owner'],
        properties: { owner: text, retries: { type: 'integer', default: 3 } },
      },
      status: { type: 'object', properties: { state: text } },
    },
  };
}

it('an index may hold the revision, which only the commit knows', async () => {
  const t = await openTestService();
  await t.register(Job, (specs) => {
    specs.add(
      IndexSpecs.single<Job, string>('revision', 'long').indexFunc((job) => job.metadata.resourceVersion),
    );
  });
  await t.service.create(gvk, { metadata: { name: 'one' } });
  await t.service.patch(gvk, 'one', { spec: {} }, 'merge');
  const items = [
    { verb: 'create', resource: gvk, object: { metadata: { name: 'two' } } },
    { verb: 'patch', resource: gvk, name: 'one', patch: { spec: { a: 1 } }, type: 'merge' },
  ] as const;
  // With a limit, they are made ready before the commit.
  const { items: written } = await t.service.batch(items, { bytesMax: 10_000 });
  const found = async (revision: string | undefined): Promise<string[]> => {
    const list = await t.service.list(gvk, { fieldSelector: `revision=${revision}` });
    return list.items.map(({ metadata }) => metadata.name);
  };
  const revisions = written.map(({ object }) => object.metadata.resourceVersion);
  expect(await Promise.all(revisions.map(found))).toEqual([['two'], ['one']]);
  // The check asks the index functions about every object.
  expect(await t.check()).toEqual([]);
  await t.close();
});

it('a status can be written though the stored spec no longer fits the schema, and spec stays as it is', async () => {
  const directory = temporaryDirectory();
  const before = await openTestService(directory);
  await before.register(Job);
  await before.service.create(gvk, { metadata: { name: 'one' }, spec: { extra: true } });
  await before.close();

  const after = await openTestService(directory);
  await after.register(StricterJob);
  const write = { fieldValidation: 'Strict' } as const;
  const { object } = await after.service.patch(
    gvk,
    'one',
    { status: { state: 'done' } },
    'merge',
    write,
    'status',
  );
  expect(object).toMatchObject({ metadata: { generation: 1, version: 1 }, status: { state: 'done' } });
  expect(object.spec).toEqual({ extra: true });
  const wrong = after.service.patch(gvk, 'one', { status: { state: 7, nope: 1 } }, 'merge', write, 'status');
  await expect(wrong).rejects.toMatchObject({
    code: 'Invalid',
    details: { causes: [{ field: 'status.state' }, { field: 'status.nope' }] },
  });
  expect(await after.check()).toEqual([]);
  await after.close();
});
