import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepEqual } from '../../src/lib/json/json.js';
import { applyMergePatch } from '../../src/lib/json/merge-patch.js';
import { LAST_APPLIED } from '../../src/model/applied-manifests.js';
import type { JsonObject } from '../../src/model/object.js';
import { lastApplied, threeWayPatch, withLastApplied } from '../../src/service/write/patch/three-way.js';

const LIVE: JsonObject = {
  apiVersion: 'example.com/v1',
  kind: 'Person',
  metadata: { name: 'ann', uid: 'u', version: 4, resourceVersion: '9', labels: { mine: '1', theirs: '2' } },
  spec: { age: 3, tags: ['a', 'b'], extra: true },
  status: { phase: 'Ready' },
};

describe('a three-way patch', () => {
  it('is empty when the live object states what the manifest states', () => {
    const manifest = {
      apiVersion: 'example.com/v1',
      kind: 'Person',
      metadata: { name: 'ann' },
      spec: { age: 3 },
    };
    expect(threeWayPatch(manifest, manifest, LIVE)).toEqual({});
    expect(threeWayPatch(undefined, manifest, LIVE)).toEqual({});
  });

  it('removes fields that an earlier apply set and keeps those that others set', () => {
    const last = { metadata: { name: 'ann', labels: { mine: '1' } }, spec: { age: 3, gone: 1, tags: ['a'] } };
    const manifest = { metadata: { name: 'ann', labels: {} }, spec: { age: 4 } };
    expect(threeWayPatch(last, manifest, LIVE)).toEqual({
      metadata: { labels: { mine: null } },
      spec: { age: 4, tags: null },
    });
  });

  it('removes from an object that the manifest no longer has only what it had set', () => {
    const last = {
      metadata: { name: 'ann', labels: { mine: '1' } },
      spec: { age: 3, tags: ['a', 'b'], extra: true },
    };
    expect(threeWayPatch(last, { metadata: { name: 'ann' } }, LIVE)).toEqual({
      metadata: { labels: { mine: null } },
      spec: null,
    });
  });

  it('never removes what identifies the object, metadata or status', () => {
    const last = {
      apiVersion: 'example.com/v1',
      kind: 'Person',
      metadata: { name: 'ann' },
      status: { phase: 'Ready' },
    };
    expect(threeWayPatch(last, {}, LIVE)).toEqual({});
  });

  it('replaces lists whole and takes null as removal', () => {
    const manifest = { spec: { tags: ['b'], extra: null, missing: null, fresh: { a: null, b: [null] } } };
    expect(threeWayPatch(undefined, manifest, LIVE)).toEqual({
      spec: { tags: ['b'], extra: null, fresh: { b: [null] } },
    });
  });

  it('does not let system metadata in', () => {
    const metadata = {
      name: 'ann',
      uid: 'x',
      generation: 9,
      creationTimestamp: 'x',
      deletionTimestamp: 'x',
      labels: { mine: '2' },
    };
    expect(threeWayPatch(undefined, { metadata }, LIVE)).toEqual({ metadata: { labels: { mine: '2' } } });
  });

  it('sends a stated lock along with a change, and a stale one always', () => {
    const locked = (version: number, age: number): JsonObject => ({
      metadata: { name: 'ann', version },
      spec: { age },
    });
    expect(threeWayPatch(undefined, locked(4, 5), LIVE)).toEqual({
      metadata: { version: 4 },
      spec: { age: 5 },
    });
    expect(threeWayPatch(undefined, locked(4, 3), LIVE)).toEqual({});
    expect(threeWayPatch(undefined, locked(2, 3), LIVE)).toEqual({ metadata: { version: 2 } });
    const revision = { metadata: { resourceVersion: '9' }, spec: { age: 5 } };
    expect(threeWayPatch(undefined, revision, LIVE)).toEqual({
      metadata: { resourceVersion: '9' },
      spec: { age: 5 },
    });
  });

  it('changes status only when the manifest states it', () => {
    expect(threeWayPatch(undefined, { status: { phase: 'Failed' } }, LIVE)).toEqual({
      status: { phase: 'Failed' },
    });
  });

  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 1, 'x'),
      fc.array(fc.constantFrom(1, null), { maxLength: 2 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'status', 'toString', '__proto__'), tie('any'), {
      maxKeys: 4,
    }),
  })).object as fc.Arbitrary<JsonObject>;
  const metadata = fc.record(
    {
      name: fc.constant('ann'),
      version: fc.nat(3),
      uid: fc.constantFrom('u', 'v'),
      labels: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2')),
    },
    { requiredKeys: ['name'] },
  ) as fc.Arbitrary<JsonObject>;
  const object = fc
    .tuple(value, fc.option(metadata, { nil: undefined }))
    .map(([rest, meta]): JsonObject => ({ ...rest, ...(meta && { metadata: meta }) }));
  const live = fc.tuple(value, metadata).map(([rest, meta]): JsonObject => ({ ...rest, metadata: meta }));

  it('leaves nothing to do once it is applied', () => {
    fc.assert(
      fc.property(fc.option(object, { nil: undefined }), object, live, (last, manifest, current) => {
        const next = applyMergePatch(current, threeWayPatch(last, manifest, current)) as JsonObject;
        expect(Object.keys(threeWayPatch(last, manifest, next))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  it('makes the live object state everything the manifest states', () => {
    fc.assert(
      fc.property(value, value, live, (last, manifest, current) => {
        const next = applyMergePatch(current, threeWayPatch(last, manifest, current));
        expect(deepEqual(applyMergePatch(next, manifest), next)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('the last applied manifest', () => {
  const manifest: JsonObject = {
    kind: 'Person',
    metadata: { name: 'ann', version: 3, annotations: { a: 'b' } },
    spec: { z: 1, a: 2 },
  };

  it('is kept in an annotation that does not hold itself', () => {
    const once = withLastApplied(manifest);
    expect(withLastApplied(once)).toEqual(once);
    expect(lastApplied(once)).toEqual({
      kind: 'Person',
      metadata: { name: 'ann', annotations: { a: 'b' } },
      spec: { z: 1, a: 2 },
    });
    expect(manifest).not.toHaveProperty(['metadata', 'annotations', LAST_APPLIED]);
  });

  it('has the same text whatever the order of members and the lock', () => {
    const other = {
      spec: { a: 2, z: 1 },
      metadata: { annotations: { a: 'b' }, name: 'ann' },
      kind: 'Person',
    };
    expect(lastText(withLastApplied(other))).toBe(lastText(withLastApplied(manifest)));
  });

  it('is recorded without annotations when the manifest has none', () => {
    const once = withLastApplied({ metadata: { name: 'ann' } });
    expect(lastText(once)).toBe('{"metadata":{"name":"ann"}}');
    expect(lastText(withLastApplied(once))).toBe('{"metadata":{"name":"ann"}}');
  });

  it('is unknown when there is no record or it is unreadable', () => {
    expect(lastApplied({})).toBeUndefined();
    for (const text of ['', '{', '[]', 'null', '{"__proto__":1}']) {
      expect(lastApplied({ metadata: { annotations: { [LAST_APPLIED]: text } } })).toBeUndefined();
    }
  });

  it('does not make a second apply of the same manifest a change', () => {
    const first = withLastApplied(manifest);
    const live = applyMergePatch({}, first) as JsonObject;
    expect(
      threeWayPatch(
        lastApplied(live),
        withLastApplied({ ...manifest, metadata: { name: 'ann', annotations: { a: 'b' } } }),
        live,
      ),
    ).toEqual({});
  });
});

function lastText(object: JsonObject): unknown {
  const annotations = (object as { metadata: { annotations: Record<string, unknown> } }).metadata.annotations;
  return annotations[LAST_APPLIED];
}
