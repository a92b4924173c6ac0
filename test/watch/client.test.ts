import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PluginClients } from '../../src/daemon/plugin-clients.js';
import type { ExtensionClient } from '../../src/service/extension-client.js';
import { Person, registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { expectCode } from '../suites/verbs-helpers.js';

let t: TestService;
let stopping: AbortController;
let client: ExtensionClient;
beforeEach(async () => {
  t = await openTestService();
  await registerModels(t);
  stopping = new AbortController();
  const clients = new PluginClients({ service: t.service, schemes: t.registry });
  client = clients.clientOfTest(stopping.signal);
});
afterEach(async () => {
  expect(t.service.hub.subscribers).toBe(0);
  await t.close();
  removeDirectories();
});

const newPerson = (name: string, age: number): Person =>
  Object.assign(new Person(), { metadata: { name }, spec: { age } });

describe('the client of a plugin', () => {
  it('watches a model as instances of its class', async () => {
    await client.create(newPerson('ann', 1));
    const reported: string[] = [];
    for await (const event of client.watch(Person, { fieldSelector: 'spec.age!=9' })) {
      if (event.type === 'BOOKMARK') continue;
      expect(event.object).toBeInstanceOf(Person);
      reported.push(`${event.type} ${event.object.metadata.name} ${event.object.spec.age ?? '-'}`);
      if (reported.length === 1) await client.update(newPerson('ann', 2));
      if (reported.length === 2) await client.update(newPerson('ann', 9));
      if (reported.length === 3) break;
    }
    expect(reported).toEqual(['ADDED ann 1', 'MODIFIED ann 2', 'DELETED ann 2']);
  });

  it('ends its watches with the plugin, or with the signal of one of them', async () => {
    const own = new AbortController();
    const one = (async () => {
      for await (const _ of client.watch(Person, { signal: own.signal })) throw new Error('nothing happened');
    })();
    const other = (async () => {
      for await (const _ of client.watch(Person)) throw new Error('nothing happened');
    })();
    await expect.poll(() => t.service.hub.subscribers).toBe(2);
    own.abort();
    await one;
    expect(t.service.hub.subscribers).toBe(1);
    stopping.abort();
    await other;
  });

  it('says of a revision that the store never had that it is Expired', async () => {
    const watch = client.watch(Person, { resourceVersion: '99' })[Symbol.asyncIterator]();
    await expectCode('Expired', watch.next());
  });
});
