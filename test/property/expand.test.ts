import { afterAll, describe, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { BatchItem, ResourceRef } from '../../src/service/verbs.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import {
  randomFields,
  randomReferences,
  REFERENCE_GROUP,
  REFERENCE_KINDS,
  REFERENCE_NAMES,
  referenceProperties,
  type RandomField,
} from './reference-fields.js';

afterAll(removeDirectories);

const seed = seedOfRun();

interface Graph {
  readonly refs: ReadonlyMap<string, ResourceRef>;
  readonly fields: ReadonlyMap<string, readonly RandomField[]>;
  /** By `<kind>/<name>`. */
  readonly objects: ReadonlyMap<string, ExtensionObject>;
}

/** Objects that refer to each other, all written in one commit. */
async function randomGraph(t: TestService, random: Random): Promise<Graph> {
  const refs = new Map<string, ResourceRef>();
  const fields = new Map<string, readonly RandomField[]>();
  const items: BatchItem[] = [];
  for (const kind of REFERENCE_KINDS) {
    const own = randomFields(random);
    class Model extends AbstractExtension {
      static readonly schema = {
        type: 'object',
        properties: { spec: { type: 'object', properties: referenceProperties(own) } },
      };
    }
    const plural = `${kind.toLowerCase()}s`;
    GVK({ group: REFERENCE_GROUP, version: 'v1', kind, plural, singular: kind.toLowerCase() })(Model);
    await t.register(Model);
    const resource = { group: REFERENCE_GROUP, version: 'v1', kind, plural };
    refs.set(kind, resource);
    fields.set(kind, own);
    for (const name of REFERENCE_NAMES)
      items.push({
        verb: 'create',
        resource,
        object: { metadata: { name }, spec: randomReferences(random, own) },
      });
  }
  const { items: written } = await t.service.batch(items);
  return { refs, fields, objects: new Map(written.map(({ object }) => [keyOf(object), object])) };
}

const keyOf = ({ kind, metadata }: ExtensionObject): string => `${kind}/${metadata.name}`;

/** A path of references that begins in a model. */
function randomPath({ fields }: Graph, random: Random, kind: string): readonly RandomField[] {
  const path: RandomField[] = [];
  const steps = 1 + random.below(3);
  for (let at = kind; path.length < steps;) {
    const field = random.pick(fields.get(at) ?? []);
    path.push(field);
    at = field.to;
  }
  return path;
}

/** What the definition says: step by step, object by object. */
function naively(
  { objects }: Graph,
  from: readonly ExtensionObject[],
  paths: readonly (readonly RandomField[])[],
): Record<string, Record<string, ExtensionObject>> {
  const included: Record<string, Record<string, ExtensionObject>> = {};
  for (const path of paths) {
    let reached = [...from];
    for (const { name, to } of path) {
      const names = reached.flatMap(({ spec }) => (spec as Record<string, string | string[]>)[name] ?? []);
      reached = names.flatMap((target) => objects.get(`${to}/${target}`) ?? []);
      for (const object of reached)
        (included[`${to.toLowerCase()}s.${REFERENCE_GROUP}`] ??= {})[object.metadata.name] = object;
    }
  }
  return included;
}

describe(`answers that follow references are as defined (SEED=${seed})`, () => {
  it.each([0, 1, 2, 3])('graph %i', async (run) => {
    const random = new Random(seed + run);
    const t = await openTestService();
    const graph = await randomGraph(t, random);
    let found = 0;
    for (let round = 0; round < 60; round++) {
      const [kind, ref] = random.pick([...graph.refs]);
      const paths = random.many(1, 3, () => randomPath(graph, random, kind));
      const expand = paths.map((path) => path.map(({ name }) => `spec.${name}`).join('->'));
      const where = `SEED=${seed}, graph ${run}, round ${round}: ${kind} ${expand.join()}`;
      const size = 1 + random.below(REFERENCE_NAMES.length);
      const page = await t.service.list(ref, { expand, size, sort: 'metadata.name,desc' });
      expect(page.included, where).toEqual(naively(graph, page.items, paths));
      const name = random.pick(REFERENCE_NAMES);
      const one = await t.service.get(ref, name, { expand: expand.join(',') });
      const expected = naively(graph, [graph.objects.get(`${kind}/${name}`) ?? one], paths);
      expect(one.included, where).toEqual(expected);
      found += Object.keys(page.included ?? {}).length;
    }
    // Else nothing was tried.
    expect(found).toBeGreaterThan(10);
    await t.close();
  });
});
