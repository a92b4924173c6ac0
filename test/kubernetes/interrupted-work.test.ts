import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unavailable } from '../../src/errors.js';
import { DefinitionWork } from '../../src/kubernetes/crd/definition-work.js';
import { readDefinition } from '../../src/kubernetes/crd/definition.js';
import { modelOf } from '../../src/kubernetes/crd/model.js';
import { ownerOf } from '../../src/kubernetes/crd/served-definitions.js';
import { NamespaceContent } from '../../src/kubernetes/kinds/namespace-content.js';
import type { JsonObject } from '../../src/model/object.js';
import { ADMIT_ALL, type CheckedWrite } from '../../src/owners/writer.js';
import { NO_WEBHOOKS } from '../helpers/conversion-webhook.js';
import {
  conditionsOf,
  define,
  DEFINITIONS,
  gadget,
  gadgets,
  gadgetsIn,
  type Spec,
} from '../helpers/definitions.js';
import { resourceOf, startKubernetesServer, waitFor, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

const NAME = 'gadgets.shop.example.com';

let server: KubernetesServer;
beforeEach(async () => {
  server = await startKubernetesServer({ leads: false });
});
afterEach(() => server.close());
afterAll(removeDirectories);

/** Lets the first write fail. */
function failingFirst(): CheckedWrite {
  let isFirst = true;
  return async (write) => {
    if (isFirst) {
      isFirst = false;
      throw unavailable('the disk is full');
    }
    return write(undefined);
  };
}

async function statusesOf(base: string, names: readonly string[]): Promise<number[]> {
  return Promise.all(names.map(async (name) => (await server.get(`${base}/${name}`)).status));
}

function definitionWork(admit: CheckedWrite): DefinitionWork {
  const resource = resourceOf(server, 'CustomResourceDefinition');
  const { signal } = new AbortController();
  return new DefinitionWork({ service: server.service, resource, signal, admit });
}

const named = (plural: string, kind: string, shortNames: string[] = []) =>
  gadgets((spec: Spec) => (spec.names = { plural, kind, shortNames }));

describe('after a failure of the work on one object', () => {
  it('the other deleted definitions are finished, and the failed one later', async () => {
    const kinds = [named('apples', 'Apple'), named('bananas', 'Banana')];
    const names = kinds.map(({ metadata }) => metadata.name);
    for (const kind of kinds) await define(server, kind);
    for (const name of names) await server.send('DELETE', `${DEFINITIONS}/${name}`);
    const work = definitionWork(failingFirst());
    await expect(work.run()).rejects.toThrow('the disk is full');
    expect(await statusesOf(DEFINITIONS, names)).toEqual([200, 404]);
    await work.run();
    expect(await statusesOf(DEFINITIONS, names)).toEqual([404, 404]);
  });

  it('free names are given to waiting definitions', async () => {
    const [apples, bananas] = [named('apples', 'Apple'), named('bananas', 'Banana', ['fruit'])];
    for (const kind of [apples, bananas, named('cherries', 'Cherry', ['fruit'])]) await define(server, kind);
    const work = definitionWork(failingFirst());
    await server.send('DELETE', `${DEFINITIONS}/${bananas.metadata.name}`);
    await server.send('DELETE', `${DEFINITIONS}/${apples.metadata.name}`);
    await expect(work.run()).rejects.toThrow('the disk is full');
    const { status } = (await server.get(`${DEFINITIONS}/cherries.shop.example.com`)).json();
    expect(status).toMatchObject({ acceptedNames: { shortNames: ['fruit'] } });
  });

  it('the other deleted namespaces are finished, and the failed one later', async () => {
    const names = ['one', 'two'];
    for (const name of names) await server.post('/api/v1/namespaces', { metadata: { name } });
    for (const name of names) await server.send('DELETE', `/api/v1/namespaces/${name}`);
    const { service } = server;
    const content = new NamespaceContent({ service, namespaces: resourceOf(server, 'Namespace') });
    const { signal } = new AbortController();
    const write = failingFirst();
    await expect(content.finishAll(write, signal)).rejects.toThrow('the disk is full');
    expect(await statusesOf('/api/v1/namespaces', names)).toEqual([200, 404]);
    await content.finishAll(write, signal);
    expect(await statusesOf('/api/v1/namespaces', names)).toEqual([404, 404]);
  });
});

it('a deleted definition stays while no version of its kind is served and objects are stored', async () => {
  await define(server, gadgets());
  await server.post(gadgetsIn('default'), gadget('one'));
  const serve = async (served: boolean): Promise<void> => {
    const { metadata, spec } = (await server.get(`${DEFINITIONS}/${NAME}`)).json();
    const body = gadgets((changed) => {
      for (const version of changed.versions) version.served = served;
    });
    const answer = await server.send('PUT', `${DEFINITIONS}/${NAME}`, {
      body: { ...body, metadata, spec: { ...(spec as object), versions: body.spec.versions } },
    });
    expect(answer.status).toBe(200);
  };
  await serve(false);
  await server.send('DELETE', `${DEFINITIONS}/${NAME}`);
  const work = definitionWork(ADMIT_ALL);
  await work.run();
  expect(conditionsOf((await server.get(`${DEFINITIONS}/${NAME}`)).json())).toContain(
    'Terminating=True InstanceDeletionFailed',
  );
  await serve(true);
  expect((await server.get(`${gadgetsIn('default')}/one`)).status).toBe(200);
  await work.run();
  expect((await server.get(`${DEFINITIONS}/${NAME}`)).status).toBe(404);
  await define(server, gadgets());
  expect((await server.get(gadgetsIn('default'))).json()).toMatchObject({ items: [] });
});

it('a kind that could not be served is served later', async () => {
  const { definition } = readDefinition(JSON.parse(JSON.stringify(gadgets())) as JsonObject);
  const names = { plural: 'gadgets', kind: 'Gadget' };
  const model = modelOf({ definition, names, means: NO_WEBHOOKS });
  const scheme = server.registry.registerData(model, ownerOf(NAME));
  await define(server, gadgets());
  expect((await server.get(gadgetsIn('default'))).status).toBe(404);
  server.registry.remove(scheme);
  await waitFor(
    () => server.get(gadgetsIn('default')),
    ({ status }) => status === 200,
  );
});
