// Runs the plugin in this process on a temporary store, and uses it like a client.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from 'xsvc/testing';

const service = await startTestService({ plugins: [new URL('..', import.meta.url)] });
after(() => service.close());

const MODEL = { group: '__group__', version: 'v1alpha1', kind: '__Kind__' };
const OBJECTS = '/apis/__group__/v1alpha1/__plural__';

test('the example exists, and its words are counted', async () => {
  await service.controllersSettled();
  const { status } = await service.client.get(MODEL, 'example-__singular__');
  assert.deepEqual(status, { phase: 'Ready', words: 4 });
});

test('objects are found by title and by tag', async () => {
  const spec = { title: 'Second', text: 'one two', tags: ['a', 'b'] };
  await service.client.create(MODEL, { metadata: { name: 'second' }, spec });
  for (const fieldSelector of ['spec.title=Second', 'spec.tags=b'])
    assert.deepEqual(await service.client.listNames(MODEL, { fieldSelector }), ['second']);
});

test('an object without a title is refused', async () => {
  const json = { metadata: { name: 'untitled' }, spec: {} };
  const answer = await service.fetch(OBJECTS, { method: 'POST', json });
  assert.equal(answer.status, 422);
  assert.equal((await answer.json()).details.causes[0].field, 'spec.title');
});

test('the endpoint answers with a summary', async () => {
  await service.controllersSettled();
  const target = '/apis/api.__group__/v1alpha1/__plural__/example-__singular__/summary';
  assert.deepEqual(await (await service.fetch(target)).json(), { title: 'An example', words: 4 });
  assert.equal((await service.fetch(target.replace('example-', 'no-'))).status, 404);
});
