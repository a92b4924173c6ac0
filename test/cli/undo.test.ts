import { describe, expect, it } from 'vitest';
import { getExitCode } from '../../src/cli/exit.js';
import { readMoment } from '../../src/cli/past/moment.js';
import { getAtMoment } from '../../src/service/read/moment.js';
import { readUndoing, writeUndone } from '../../src/cli/past/undo.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { Resource } from '../../src/model/resource.js';
import type { Verbs } from '../../src/service/verbs.js';
import type { TestService } from '../helpers/store.js';
import { byColor, Thing, thing, THING, useStores } from '../store/helpers.js';
import { refusal } from '../suites/verbs-helpers.js';

/** Things have a color by now. */
@GVK({ group: 'demo.example.com', version: 'v1', kind: 'Thing', plural: 'things', singular: 'thing' })
class StrictThing extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', required: ['color'], properties: { color: { type: 'string' } } },
    },
  };
  declare spec: { color: string };
}

const stores = useStores();

async function openThings(now?: () => number): Promise<TestService> {
  const t = await stores.open(undefined, now);
  await t.register(Thing, byColor);
  return t;
}

async function targetOf({ service }: TestService): Promise<{ resource: Resource; name: string }> {
  const [resource] = await service.resources();
  if (resource === undefined) throw new Error('no model is served');
  return { resource, name: 'a' };
}

async function undo(t: TestService, verbs: Verbs = t.service, to?: string): Promise<ExtensionObject> {
  const target = await targetOf(t);
  return (await writeUndone(verbs, target, await readUndoing(verbs, target, to), {})).object;
}

/** Verbs with somebody else who writes while a history is read. */
function withIntruder({ service }: TestService, intrude: () => Promise<unknown>): Verbs {
  return new Proxy<Verbs>(service, {
    get(verbs, name) {
      if (name !== 'history') return (Reflect.get(verbs, name, verbs) as () => unknown).bind(verbs);
      return async (...given: Parameters<Verbs['history']>) => {
        const page = await verbs.history(...given);
        await intrude();
        return page;
      };
    },
  });
}

describe('an undo', () => {
  it('is a conflict, with exit code 4, when the object is changed meanwhile', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 1 }));
    await t.service.update(THING, 'a', thing('a', { size: 2 }));
    const intruded = withIntruder(t, () => t.service.update(THING, 'a', thing('a', { size: 3 })));
    const error = await refusal(undo(t, intruded));
    expect([error.code, getExitCode(error)]).toEqual(['Conflict', 4]);
    expect((await t.service.get(THING, 'a')).spec).toEqual({ size: 3 });
  });

  it('is a conflict when the object that was gone is created meanwhile', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 1 }));
    await t.service.delete(THING, 'a');
    const error = await refusal(
      undo(
        t,
        withIntruder(t, () => t.service.create(THING, thing('a'))),
      ),
    );
    expect([error.code, getExitCode(error)]).toEqual(['AlreadyExists', 4]);
  });

  it('is refused when the earlier state no longer fits the model', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 1 }));
    await t.service.update(THING, 'a', thing('a', { size: 1, color: 'red' }));
    await t.close();
    const again = await stores.open(t.directory);
    await again.register(StrictThing, byColor);
    const error = await refusal(undo(again));
    expect([error.code, getExitCode(error)]).toEqual(['Invalid', 5]);
    expect(error.details.causes?.map(({ field }) => field)).toEqual(['spec.color']);
    await again.service.delete(THING, 'a');
    expect((await refusal(undo(again, again.service, '1'))).code).toBe('Invalid');
    expect((await undo(again)).spec).toEqual({ size: 1, color: 'red' });
  });

  it('restores the earlier object of a name, and keeps finalizers, status and uid of the current one', async () => {
    const t = await openThings();
    await t.service.create(THING, { ...thing('a', { size: 1 }), status: { phase: 'Old' } });
    await t.service.delete(THING, 'a');
    const finalizers = ['example.com/hold'];
    const { object: live } = await t.service.create(THING, {
      metadata: { name: 'a', finalizers, labels: { 'demo.example.com/x': 'y' } },
      spec: { size: 2 },
      status: { phase: 'New' },
    });
    const undone = await undo(t, t.service, '1');
    expect(undone).toMatchObject({ spec: { size: 1 }, status: { phase: 'New' } });
    expect(undone.metadata).toMatchObject({ finalizers, uid: live.metadata.uid, version: 1 });
    expect(undone.metadata).not.toHaveProperty('labels');
    expect((await refusal(undo(t, t.service, '2'))).code).toBe('NotFound');
  });

  it('of a deletion brings the status back as well', async () => {
    const t = await openThings();
    await t.service.create(THING, { ...thing('a', { size: 1 }), status: { phase: 'Ready' } });
    await t.service.delete(THING, 'a');
    expect(await undo(t)).toMatchObject({ spec: { size: 1 }, status: { phase: 'Ready' } });
  });

  it('of the state that is there already changes nothing', async () => {
    const t = await openThings();
    const { object } = await t.service.create(THING, thing('a', { size: 1 }));
    expect(await undo(t, t.service, object.metadata.resourceVersion)).toEqual(object);
  });

  it('of a change whose state before is trimmed says so', async () => {
    const t = await openThings();
    await t.service.create(THING, thing('a', { size: 1 }));
    await t.service.update(THING, 'a', thing('a', { size: 2 }));
    await t.store.history.trim({ count: 1, ageMs: -60_000 });
    expect((await refusal(undo(t))).code).toBe('Expired');
    await t.store.history.trim({ count: 0, ageMs: -60_000 });
    const error = await refusal(undo(t));
    expect([error.code, error.message]).toEqual([
      'Expired',
      expect.stringContaining('the log has no change of'),
    ]);
  });
});

describe('a moment', () => {
  it('is a revision, a time, or how long ago it was', async () => {
    const begin = Date.parse('2026-01-01T00:00:00Z');
    const minute = 60_000;
    let now = begin;
    const t = await openThings(() => now);
    for (let size = 0; size < 4; size++) {
      now = begin + size * minute;
      await (size === 0
        ? t.service.create(THING, thing('a', { size }))
        : t.service.update(THING, 'a', thing('a', { size })));
    }
    const target = await targetOf(t);
    const at = async (text: string) =>
      (await getAtMoment(t.service, target, readMoment('--at', text, begin + 3.5 * minute))).spec;
    expect(await at('2')).toEqual({ size: 1 });
    expect(await at('2026-01-01T00:01:00Z')).toEqual({ size: 1 });
    expect(await at('2026-01-01T01:01:59.999+01:00')).toEqual({ size: 1 });
    expect(await at('1m')).toEqual({ size: 2 });
    expect(await at('0s')).toEqual({ size: 3 });
    expect((await refusal(at('1h'))).code).toBe('NotFound');
    await t.store.history.trim({ count: 2, ageMs: -60_000 });
    expect((await refusal(at('2026-01-01T00:01:00Z'))).code).toBe('Expired');
    await t.service.delete(THING, 'a');
    expect((await refusal(at('0s'))).code).toBe('NotFound');
  });
});
