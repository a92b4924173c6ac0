// Runs the plugin in this process on a separate store, and uses it as clients do: npm test
import { afterAll, expect, test } from 'vitest';
import { startTestService } from 'xsvc/testing';

const service = await startTestService({ plugins: [new URL('..', import.meta.url)] });
afterAll(() => service.close());

const PERSON = { group: 'demo.example.com', version: 'v1alpha1', kind: 'Person' };

test('declared persons are found by team, oldest first', async () => {
  const options = { labelSelector: 'demo.example.com/team=red', sort: 'spec.age,desc' };
  expect(await service.client.listNames(PERSON, options)).toEqual(['ada', 'cleo']);
});

test('no two persons share an address for mail', async () => {
  const second = { metadata: { name: 'second' }, spec: { name: 'Second', email: 'ada@example.com' } };
  await expect(service.client.create(PERSON, second)).rejects.toMatchObject({ code: 'AlreadyExists' });
});

test('the search of the console finds persons by a part of their name', async () => {
  const target = '/apis/console.api.demo.example.com/v1alpha1/persons?keyword=cleo';
  const { items } = await (await service.fetch(target)).json();
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['cleo']);
});
