// Runs the plugin in this process on a temporary store, and uses it like a client.
import { afterAll, expect, test } from 'vitest';
import { startTestService } from 'xsvc/testing';

const service = await startTestService({ plugins: [new URL('..', import.meta.url)] });
afterAll(() => service.close());

const MODEL = { group: '__group__', version: 'v1alpha1', kind: '__Kind__' };
const OBJECTS = '/apis/__group__/v1alpha1/__plural__';

test('the example exists, and its words are counted', async () => {
  await service.controllersSettled();
  const { status } = await service.client.get(MODEL, 'example-__singular__');
  expect(status).toEqual({ phase: 'Ready', words: 4 });
});

test('objects are found by title and by tag', async () => {
  const spec = { title: 'Second', text: 'one two', tags: ['a', 'b'] };
  await service.client.create(MODEL, { metadata: { name: 'second' }, spec });
  for (const fieldSelector of ['spec.title=Second', 'spec.tags=b'])
    expect(await service.client.listNames(MODEL, { fieldSelector })).toEqual(['second']);
});

test('an object without a title is refused', async () => {
  const json = { metadata: { name: 'untitled' }, spec: {} };
  const answer = await service.fetch(OBJECTS, { method: 'POST', json });
  expect(answer.status).toBe(422);
  expect((await answer.json()).details.causes[0].field).toBe('spec.title');
});

test('the endpoint answers with a summary', async () => {
  await service.controllersSettled();
  const target = '/apis/api.__group__/v1alpha1/__plural__/example-__singular__/summary';
  expect(await (await service.fetch(target)).json()).toEqual({ title: 'An example', words: 4 });
  expect((await service.fetch(target.replace('example-', 'no-'))).status).toBe(404);
});
