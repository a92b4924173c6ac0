import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyAtOnce, pruneEach, type ApplyOutcome } from '../../src/cli/apply/execute.js';
import { OWNER, prepare } from '../../src/cli/apply/prepare.js';
import { findPrunable } from '../../src/cli/apply/prune.js';
import { readManifests, type Manifest } from '../../src/cli/input/manifests.js';
import type { Resource } from '../../src/model/resource.js';
import { LAST_APPLIED } from '../../src/model/applied-manifests.js';
import { person, PERSON_REF, startTestServer, type TestServer } from '../helpers/http.js';
import { documents, manifest } from '../suites/cli-fixtures.js';
import { testIo } from './helpers.js';

let server: TestServer;
let persons: Resource;

beforeAll(async () => {
  server = await startTestServer();
  const found = (await server.service.resources()).find(({ plural }) => plural === 'persons');
  if (found === undefined) throw new Error('there are no persons');
  persons = found;
});

beforeEach(() => server.clear());

afterAll(() => server.close());

async function manifests(...texts: readonly string[]): Promise<readonly Manifest[]> {
  const io = { ...testIo(), stdin: stream(documents(...texts)) };
  const options = {
    resources: await server.service.resources(),
    scope: { namespace: 'default', isGiven: false },
  };
  return (await readManifests(io, { filename: ['-'] }, options)).manifests;
}

async function* stream(text: string): AsyncGenerator<string> {
  yield text;
}

/** A name and what became of it. */
function reported(outcome: ApplyOutcome): string {
  const { name } = 'manifest' in outcome ? outcome.manifest : outcome.target;
  return `${name}: ${'error' in outcome ? String(outcome.error) : outcome.verb}`;
}

describe('one commit that is refused', () => {
  it('reports each part that fails by itself, in their order', async () => {
    const texts = Array.from({ length: 41 }, (_, i) =>
      [3, 20, 40].includes(i) ? manifest(`n${i}`, 'age: 1') : manifest(`n${i}`),
    );
    const outcomes = await applyAtOnce(server.service, await manifests(...texts), {});
    expect(outcomes.map(reported)).toEqual([
      'n3: ServiceError: Person "n3" is invalid: spec.name: is required',
      'n20: ServiceError: Person "n20" is invalid: spec.name: is required',
      'n40: ServiceError: Person "n40" is invalid: spec.name: is required',
    ]);
    expect(await server.service.count(PERSON_REF)).toBe(0);
  });

  it('reports the part that fails only together with others', async () => {
    const both = ['ann', 'bob'].map((name) => manifest(name, `name: ${name}`, 'email: same@example.com'));
    const outcomes = await applyAtOnce(server.service, await manifests(...both), {});
    expect(outcomes.map(reported)).toEqual([expect.stringMatching(/^bob: .*spec\.email/)]);
    expect(await server.service.count(PERSON_REF)).toBe(0);
  });
});

describe('pruning', () => {
  const options = { selector: ['set=one'] };
  const applied = (name: string, more: Record<string, string> = {}): Promise<unknown> =>
    server.service.create(
      PERSON_REF,
      person(name, {}, { labels: { set: 'one' }, annotations: { [LAST_APPLIED]: '{}', ...more } }),
    );
  const find = async (given: Parameters<typeof findPrunable>[2] = options): Promise<string[]> => {
    const { objects } = await findPrunable(server.service, await manifests(manifest('kept')), given);
    return objects.map(({ name }) => name);
  };

  it('is about objects that were applied, match, are of the same owner, and are not being deleted', async () => {
    await applied('gone');
    await applied('kept');
    await applied('other', { [OWNER]: 'other' });
    await server.service.create(PERSON_REF, person('created', {}, { labels: { set: 'one' } }));
    await server.service.create(
      PERSON_REF,
      person('unmatched', {}, { annotations: { [LAST_APPLIED]: '{}' } }),
    );
    await applied('leaving');
    await server.service.patch(PERSON_REF, 'leaving', { metadata: { finalizers: ['a/b'] } }, 'merge');
    await server.service.delete(PERSON_REF, 'leaving');
    expect(await find()).toEqual(['gone']);
    expect(await find({ ...options, owner: 'other' })).toEqual(['other']);
  });

  it('passes over a model that was removed after the models were listed', async () => {
    await applied('gone');
    const { service } = server;
    const before = [{ ...persons, plural: 'removed' }, ...(await service.resources())];
    const verbs = { resources: async () => before, listAll: service.listAll.bind(service) };
    const { objects } = await findPrunable(verbs, await manifests(manifest('kept')), options);
    expect(objects.map(({ name }) => name)).toEqual(['gone']);
  });

  it('tries again when an object to prune is gone already', async () => {
    await applied('ann');
    let calls = 0;
    const findThenLose = async () => {
      const { objects } = await findPrunable(server.service, await manifests(manifest('bob')), options);
      if ((calls += 1) === 1) await server.service.delete(PERSON_REF, 'ann');
      return objects;
    };
    const outcomes = await applyAtOnce(server.service, await manifests(manifest('bob')), {}, findThenLose);
    expect(outcomes.map(reported)).toEqual(['bob: created']);
    expect(calls).toBe(2);
  });

  it('one by one skips objects that are gone already', async () => {
    await applied('ann');
    const targets = ['zed', 'ann'].map((name) => ({ resource: persons, name }));
    const outcomes: string[] = [];
    for await (const outcome of pruneEach(server.service, targets, {})) outcomes.push(reported(outcome));
    expect(outcomes).toEqual(['ann: pruned']);
  });

  it('records the owner beside the annotations that a file states', async () => {
    const text = manifest('ann').replace('name: ann\n', 'name: ann\n  annotations: { a: b }\n');
    const [first] = await manifests(text);
    expect(first && prepare({ owner: 'me' })(first).value.metadata).toEqual({
      name: 'ann',
      annotations: { a: 'b', [OWNER]: 'me' },
    });
  });
});
