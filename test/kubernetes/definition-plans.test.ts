import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelPlan } from '../../src/lifecycle/model-plan.js';
import type { JsonObject } from '../../src/model/object.js';
import { planDefinition } from '../../src/kubernetes/crd/plan.js';
import { NO_WEBHOOKS } from '../helpers/conversion-webhook.js';
import { define, gadget, gadgets, gadgetsIn, DEFINITIONS } from '../helpers/definitions.js';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

let server: KubernetesServer;

beforeEach(async () => {
  server = await startKubernetesServer();
  await server.post('/api/v1/namespaces', { metadata: { name: 'one' } });
  await define(server, gadgets());
  for (let i = 0; i < 12; i++)
    await server.post(gadgetsIn('one'), gadget(`g${i}`, { size: i, ...(i > 8 && { colour: 'red' }) }));
});
afterEach(() => server.close());
afterAll(removeDirectories);

/** The stored definition with other fields in its `spec`. */
function changed(fields: object, more: object = {}): JsonObject {
  return gadgets((spec) => {
    const [version] = spec.versions;
    if (version === undefined) return;
    version.schema.openAPIV3Schema.properties.spec = { type: 'object', properties: fields, ...more };
  }) as unknown as JsonObject;
}

const plan = (definition: JsonObject, signal = new AbortController().signal): Promise<ModelPlan> =>
  planDefinition({ models: server.service.models, means: NO_WEBHOOKS, signal }, definition);
const size = { type: 'integer', default: 1, minimum: 0 };
const colour = { type: 'string' };

describe('the plan of a definition', () => {
  it('counts the objects that would be invalid, and names the first ten', async () => {
    const { objects, changes, problems } = await plan(
      changed({ size: { ...size, maximum: 4 }, colour }, { required: ['colour'] }),
    );
    expect(objects).toBe(12);
    expect(changes.map(({ path, text }) => `${path}: ${text}`)).toEqual([
      'spec.colour: is now required',
      'spec.size: maximum 4 added',
    ]);
    expect(problems.map(({ count, examples }) => [count, examples.length])).toEqual([[12, 10]]);
    expect(problems[0]?.examples[0]).toEqual({
      name: expect.stringContaining('g0') as string,
      problem: 'spec.colour: is required',
    });
  });

  it('has no problem when all objects fit, and none for hints', async () => {
    const hinted = { ...colour, 'x-xsvc-console': { widget: 'color' } };
    const { changes, problems } = await plan(changed({ size, colour: hinted, note: colour }));
    expect([changes.map(({ text }) => text), problems]).toEqual([['added (string)'], []]);
    const same = await plan(changed({ size, colour: hinted }));
    expect(same.changes.map(({ kind }) => kind)).toEqual(['described-otherwise']);
  });

  it('stores nothing', async () => {
    const before = (await server.get(DEFINITIONS)).text;
    await plan(changed({ colour }));
    expect((await server.get(DEFINITIONS)).text).toBe(before);
  });

  it('is refused with the faults of the definition', async () => {
    await expect(plan(changed({ size: { type: 'text' } }))).rejects.toThrow('must be one of array');
  });

  it('is new for a definition that is not stored', async () => {
    const definition = gadgets((spec) => {
      spec.names = { plural: 'others', kind: 'Other' };
    }) as unknown as JsonObject;
    expect((await plan(definition)).changes.map(({ kind }) => kind)).toEqual(['model-added']);
  });

  it('ends when its client has gone', async () => {
    const gone = AbortSignal.abort();
    await expect(plan(changed({ colour }, { required: ['colour'] }), gone)).rejects.toThrow();
  });
});
