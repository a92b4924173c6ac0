import { afterAll, expect, it } from 'vitest';
import { DefinitionWork } from '../../src/kubernetes/crd/definition-work.js';
import { NamespaceContent } from '../../src/kubernetes/kinds/namespace-content.js';
import type { CheckedWrite } from '../../src/owners/writer.js';
import { define, DEFINITIONS, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import { resourceOf, startKubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

const NAMESPACE = '/api/v1/namespaces/again';
const NAME = `${DEFINITIONS}/gadgets.shop.example.com`;

afterAll(removeDirectories);

/** Does something before a write, once. */
function before(nth: number, act: () => Promise<unknown>): CheckedWrite {
  let writes = 0;
  return async (write) => {
    writes += 1;
    if (writes === nth) await act();
    return write(undefined);
  };
}

it('the objects of a namespace that was made again stay when the work on the deleted one is late', async () => {
  const server = await startKubernetesServer({ leads: false });
  const { service } = server;
  const make = async (name: string): Promise<void> => {
    await server.post('/api/v1/namespaces', { metadata: { name: 'again' } });
    await server.post(`${NAMESPACE}/configmaps`, { metadata: { name } });
  };
  await make('old');
  await server.send('DELETE', NAMESPACE);
  const makeAgain = before(1, async () => {
    const body = { ...(await server.get(NAMESPACE)).json(), spec: { finalizers: [] } };
    expect((await server.send('PUT', `${NAMESPACE}/finalize`, { body })).status).toBe(200);
    await make('kept');
  });
  const content = new NamespaceContent({ service, namespaces: resourceOf(server, 'Namespace') });
  await content.finishAll(makeAgain, new AbortController().signal);
  expect((await server.get(NAMESPACE)).json().status).toEqual({ phase: 'Active' });
  for (const kept of ['configmaps/kept', 'serviceaccounts/default'])
    expect((await server.get(`${NAMESPACE}/${kept}`)).status).toBe(200);
  await server.close();
});

it.each([
  ['condition', 1],
  ['deletion of an object', 2],
])(
  'a definition that was made again, and its objects, stay when the work on the deleted one is late: the %s',
  async (_, nth) => {
    const server = await startKubernetesServer({ leads: false });
    const { service } = server;
    await define(server, gadgets());
    await server.post(gadgetsIn('default'), gadget('one'));
    await server.send('DELETE', NAME);
    const makeAgain = before(nth, async () => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      await server.send('PATCH', NAME, { body: { metadata: { finalizers: null } }, headers });
      expect((await define(server, gadgets())).status).toBe(201);
      expect((await server.get(`${gadgetsIn('default')}/one`)).status).toBe(200);
    });
    const resource = resourceOf(server, 'CustomResourceDefinition');
    const { signal } = new AbortController();
    const made = async (): Promise<object> => {
      const { metadata, status } = (await server.get(NAME)).json();
      const { conditions } = status as { conditions: readonly { type: string }[] };
      return { finalizers: metadata['finalizers'], conditions: conditions.map(({ type }) => type) };
    };
    const work = new DefinitionWork({ service, resource, signal, admit: makeAgain });
    await work.run();
    expect(await made()).toEqual({
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
      conditions: ['NamesAccepted', 'Established'],
    });
    expect((await server.get(`${gadgetsIn('default')}/one`)).status).toBe(200);
    await server.close();
  },
);
