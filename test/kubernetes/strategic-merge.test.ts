import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORE_KINDS } from '../../src/kubernetes/core-kinds.js';
import { schemaOfMessage } from '../../src/kubernetes/schema.js';
import { applyStrategicMerge } from '../../src/kubernetes/strategic-merge.js';
import { startKubernetesServer } from '../helpers/kubernetes.js';
import { define, DEFINITIONS, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import { PERSONS, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

/** The answer of a kube-apiserver to a patch of an object, without the members that it sets. */
interface Recorded {
  readonly title: string;
  readonly kind: string;
  readonly object: Record<string, unknown>;
  readonly patch: unknown;
  readonly status: number;
  readonly result?: object;
}

const answers = JSON.parse(
  readFileSync(new URL('strategic-answers.json', import.meta.url), 'utf8'),
) as Recorded[];

/**
 * Answers that differ on purpose. A kube-apiserver reads the result into the types of Go, which have no texts for maps
 * and lists; here the check of the kind refuses them.
 */
const CHECKED_LATER = ['wrong type for a map', 'wrong type for a list'];
/** There, the order of items that the patch does not name depends on how the memory of the list was used before. */
const OTHER_ORDER = 'owners ordered, added and deleted';

/** The types of Go leave out empty maps and lists. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
  const isEmpty = (member: unknown): boolean =>
    typeof member === 'object' && member !== null && Object.keys(member).length === 0;
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
}

const schemaOf = (kind: string) => {
  const message = CORE_KINDS.find((one) => one.kind === kind)?.message ?? '';
  return schemaOfMessage(message);
};

describe('a strategic merge patch', () => {
  it.each(answers)('has the answer of a kube-apiserver: $title', ({ title, kind, object, patch, result }) => {
    const before = structuredClone({ object, patch });
    const apply = (): object => applyStrategicMerge(schemaOf(kind), object, patch);
    if (CHECKED_LATER.includes(title)) expect(apply).not.toThrow();
    else if (result === undefined) expect(apply).toThrow(expect.objectContaining({ code: 'BadRequest' }));
    else if (title === OTHER_ORDER) {
      const owners = (apply() as { metadata: { ownerReferences: { uid: string }[] } }).metadata
        .ownerReferences;
      expect(owners.map(({ uid }) => uid)).toEqual(['u4', 'u1', 'u3']);
    } else expect(withoutEmpty(apply())).toEqual(withoutEmpty(result));
    expect({ object, patch }).toEqual(before);
  });

  it.each([[[]], ['text'], [null], [{ $patch: 'delete' }], [{ $setElementOrder: 1, $retainKeys: 'a' }]])(
    'refuses %j',
    (patch) => {
      expect(() => applyStrategicMerge({}, { a: 1 }, patch)).toThrow(
        expect.objectContaining({ code: 'BadRequest' }),
      );
    },
  );

  it('has no effect on what objects inherit', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true},"data":{"__proto__":"x"}}') as unknown;
    const patched = applyStrategicMerge({}, { data: { a: '1' } }, patch);
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
    expect(JSON.stringify(patched)).toBe('{"data":{"a":"1","__proto__":"x"},"__proto__":{"polluted":true}}');
  });
});

describe('a strategic merge patch of a request', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startKubernetesServer({ leads: false });
    await define(server, gadgets());
    await server.send('POST', gadgetsIn('default'), { body: gadget('one') });
  });
  afterAll(async () => {
    expect(await server.check()).toEqual([]);
    await server.close();
    removeDirectories();
  });
  const patch = (target: string, body: object) =>
    server.send('PATCH', target, {
      body,
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    });

  it('is applied to an object of a kind of Kubernetes', async () => {
    const target = `${DEFINITIONS}/gadgets.shop.example.com`;
    await patch(target, { metadata: { finalizers: ['example.com/hold'] } });
    const answer = await patch(target, {
      metadata: { labels: { a: 'b' }, '$deleteFromPrimitiveList/finalizers': ['example.com/hold'] },
    });
    expect([answer.status, answer.json().metadata.labels]).toEqual([200, { a: 'b' }]);
    expect(answer.json().metadata.finalizers).not.toContain('example.com/hold');
    expect((await patch(target, { metadata: { resourceVersion: '1' } })).status).toBe(409);
    expect((await patch(target, { $patch: 'delete' })).status).toBe(400);
    expect((await patch(target, [])).status).toBe(400);
  });

  it('merges the lists of a service account by their keys', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    const body = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'one' },
      secrets: [{ name: 'a' }],
    };
    expect((await server.send('POST', accounts, { body })).status).toBe(201);
    const answer = await patch(`${accounts}/one`, { secrets: [{ name: 'b' }] });
    expect(answer.json().secrets).toEqual([{ name: 'b' }, { name: 'a' }]);
  });

  it('is refused for other kinds, with a hint', async () => {
    for (const target of [`${gadgetsIn('default')}/one`, `${PERSONS}/ann`]) {
      const answer = await patch(target, {});
      expect([answer.status, answer.json().message]).toEqual([415, expect.stringContaining('--type merge')]);
    }
  });
});
