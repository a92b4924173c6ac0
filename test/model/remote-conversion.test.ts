import { describe, expect, it } from 'vitest';
import { CacheBudget } from '../../src/lib/cache-budget.js';
import { withConversions, withHeldConversions } from '../../src/model/evolve/pending-conversion.js';
import { RemoteConversion } from '../../src/model/evolve/remote-conversion.js';
import type { ExtensionObject } from '../../src/model/object.js';

const V2 = 'example.com/v2';

function object(name: string, size = 1): ExtensionObject {
  const system = { uid: name, generation: 1, version: 0, resourceVersion: '1' };
  const times = { creationTimestamp: '', updateTimestamp: '' };
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name, ...system, ...times },
    spec: { text: 'x'.repeat(size) },
  };
}

/** A program that converts by the version alone, and counts the objects of its calls. */
function program(bytesMax?: number) {
  const calls: number[] = [];
  const state = { isBroken: false, running: 0, most: 0 };
  const remote = new RemoteConversion(async (objects, apiVersion) => {
    calls.push(objects.length);
    state.most = Math.max(state.most, ++state.running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    state.running--;
    if (state.isBroken) throw new Error('broken');
    return objects.map((one) => ({ ...one, apiVersion }));
  }, new CacheBudget(bytesMax));
  return { remote, calls, state };
}

describe('a conversion that a program makes', () => {
  it('is asked for once, also when its result is too large to be kept', async () => {
    const { remote, calls } = program(10);
    const convert = () => remote.convert(object('a', 1_000), V2);
    expect(convert).toThrow('another program');
    expect(await withConversions(convert)).toMatchObject({ apiVersion: V2, metadata: { name: 'a' } });
    expect(calls).toEqual([1]);
    expect(convert).toThrow('another program');
  });

  it('fails for all who wait for it, and is asked for again afterwards', async () => {
    const { remote, calls, state } = program();
    const convert = () => remote.convert(object('a'), V2);
    state.isBroken = true;
    const failing = [1, 2].map(async () => withConversions(convert));
    for (const one of failing) await expect(one).rejects.toThrow('broken');
    expect(calls).toEqual([1]);
    state.isBroken = false;
    expect(await withConversions(convert)).toMatchObject({ apiVersion: V2 });
    expect(convert()).toMatchObject({ apiVersion: V2 });
    expect(calls).toEqual([1, 1]);
  });

  it('is shared by objects that differ in what the service sets alone', async () => {
    const { remote } = program();
    const one = object('a');
    await withConversions(() => remote.convert(one, V2));
    const later = { ...one, metadata: { ...one.metadata, resourceVersion: '7', uid: 'other' } };
    expect(remote.convert(later, V2).metadata).toEqual(later.metadata);
    const labelled = { ...one, metadata: { ...one.metadata, labels: { a: 'b' } } };
    expect(() => remote.convert(labelled, V2)).toThrow('another program');
  });

  it('comes in calls of bounded size and number', async () => {
    const { remote, calls, state } = program();
    const many = Array.from({ length: 1_100 }, (_, i) => object(`n${i}`));
    const large = Array.from({ length: 40 }, (_, i) => object(`l${i}`, 3 * 1024 * 1024));
    const conversions = [...many, ...large].map((one) => () => remote.convert(one, V2));
    const made = await withHeldConversions(conversions, () => conversions.map((convert) => convert()));
    expect(made).toHaveLength(1_140);
    expect(calls.slice(0, 2)).toEqual([500, 500]);
    expect(Math.max(...calls.slice(3))).toBe(2);
    expect(state.most).toBeLessThanOrEqual(16);
  });
});
