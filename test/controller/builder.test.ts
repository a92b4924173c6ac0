import { describe, expect, it } from 'vitest';
import { ControllerBuilder } from '../../src/controller/builder.js';
import { setUp } from '../../src/controller/set-up.js';
import type { Reconciler } from '../../src/controller/reconciler.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { gvk } from '../model/helpers.js';
import { Thing, thing } from './helpers.js';

class PersonReconciler implements Reconciler {
  reconcile(): void {
    // Nothing to do.
  }

  setupWith(builder: ControllerBuilder) {
    return builder.extension(Thing).build();
  }
}

function builder(): ControllerBuilder {
  return new ControllerBuilder(new PersonReconciler());
}

function faultOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Values of a type that plain JavaScript may give. */
function any<T>(value: unknown): T {
  return value as T;
}

describe('the builder of controllers', () => {
  it('has the defaults that are documented', () => {
    const { parts } = builder().extension(Thing).build();
    expect(parts).toMatchObject({
      name: 'person-reconciler',
      model: Thing,
      matchers: {},
      syncAllOnStart: true,
      syncAllListOptions: {},
      minDelayMs: 5,
      maxDelayMs: 1_000_000,
      workerCount: 1,
    });
  });

  it('takes delays as milliseconds and as texts', () => {
    const { parts } = builder().extension(Thing).minDelay('10ms').maxDelay('1m').build();
    expect(parts).toMatchObject({ minDelayMs: 10, maxDelayMs: 60_000 });
    expect(builder().extension(Thing).minDelay(7).maxDelay(7).build().parts).toMatchObject({
      minDelayMs: 7,
      maxDelayMs: 7,
    });
  });

  it('takes all options, in statements that are not chained too', () => {
    const plain = builder();
    plain.extension(Thing);
    plain.syncAllOnStart(false);
    plain.syncAllListOptions({ labelSelector: 'a=b' });
    plain.workerCount(4).name('people');
    expect(plain.build().parts).toMatchObject({
      name: 'people',
      syncAllOnStart: false,
      syncAllListOptions: { labelSelector: 'a=b' },
      workerCount: 4,
    });
  });

  it.each<[string, (b: ControllerBuilder) => unknown, string]>([
    ['no model', (b) => b.build(), 'extension: the model is missing'],
    ['a class without @GVK', (b) => b.extension(class {}), 'extension: a model class with @GVK'],
    ['no class', (b) => b.extension(any<typeof Thing>('Thing')), 'extension: a model class with @GVK'],
    ['no worker', (b) => b.workerCount(0), 'workerCount: an integer from 1, got 0'],
    ['half a worker', (b) => b.workerCount(1.5), 'workerCount: an integer from 1, got 1.5'],
    ['workers as a text', (b) => b.workerCount(any('2')), 'workerCount: an integer from 1'],
    ['a delay of nothing', (b) => b.minDelay(0), 'minDelay: at least 1 ms'],
    ['a delay that is no number', (b) => b.maxDelay(NaN), 'maxDelay: at least 1 ms'],
    ['a delay without unit', (b) => b.maxDelay('10'), 'maxDelay: "10" is not a duration'],
    ['a matcher that is no function', (b) => b.onAddMatcher(any(true)), 'onAddMatcher: a function'],
    ['an update matcher', (b) => b.onUpdateMatcher(any({})), 'onUpdateMatcher: a function'],
    ['a delete matcher', (b) => b.onDeleteMatcher(any(undefined)), 'onDeleteMatcher: a function'],
    [
      'a sync that is no boolean',
      (b) => b.syncAllOnStart(any('no')),
      'syncAllOnStart: true or false, got no',
    ],
    ['list options as a text', (b) => b.syncAllListOptions(any('a=b')), 'syncAllListOptions: an object'],
    ['a bad name', (b) => b.name('My Controller'), 'name: must consist of lowercase letters'],
    [
      'delays the wrong way round',
      (b) => b.extension(Thing).minDelay('2s').maxDelay('1s').build(),
      'minDelay: must not be greater than maxDelay, but 2s is greater than 1s',
    ],
  ])('refuses %s and says which value it is', (_, call, message) => {
    const error = faultOf(() => call(builder()));
    expect(error).toMatchObject({ code: 'BadRequest' });
    expect(String(error)).toContain(`controller: ${message}`);
  });

  it('refuses a reconciler that lacks a method', () => {
    expect(() => new ControllerBuilder(any({ reconcile: () => undefined }))).toThrow(
      'reconcile and setupWith',
    );
  });

  it('refuses a set-up that returns something else', () => {
    const reconciler: Reconciler = { reconcile: () => undefined, setupWith: (b) => any(b) };
    expect(faultOf(() => setUp(reconciler))).toMatchObject({ code: 'BadRequest' });
    expect(setUp(new PersonReconciler()).parts.name).toBe('person-reconciler');
  });

  it('names a controller after the model when its reconciler has no class', () => {
    const reconciler: Reconciler = {
      reconcile: () => undefined,
      setupWith: (b) => b.extension(Thing).build(),
    };
    expect(setUp(reconciler).parts.name).toBe('thing');
  });

  it('gives matchers instances of the model', () => {
    class Lamp {
      declare spec: { on: boolean };
      isOn(): boolean {
        return this.spec.on;
      }
    }
    GVK(gvk('Lamp'))(Lamp);
    const { matchers } = builder()
      .extension(Lamp)
      .onAddMatcher((lamp) => lamp.isOn())
      .onUpdateMatcher((lamp, old) => lamp.isOn() !== old.isOn())
      .onDeleteMatcher((lamp) => !lamp.isOn())
      .build().parts;
    const [on, off] = [thing('a', { spec: { on: true } }), thing('a', { spec: { on: false } })];
    expect(matchers.onAdd?.(on)).toBe(true);
    expect(matchers.onUpdate?.(on, off)).toBe(true);
    expect(matchers.onUpdate?.(on, on)).toBe(false);
    expect(matchers.onDelete?.(on)).toBe(false);
  });

  it('gives matchers copies of their own, which they may change', () => {
    class Lamp {
      declare metadata: { resourceVersion?: string };
    }
    GVK(gvk('Lamp'))(Lamp);
    const { matchers } = builder()
      .extension(Lamp)
      .onUpdateMatcher((now, old) => {
        for (const { metadata } of [now, old]) delete metadata.resourceVersion;
        return JSON.stringify(now) !== JSON.stringify(old);
      })
      .build().parts;
    const object = thing('a');
    expect(matchers.onUpdate?.(object, object)).toBe(false);
    expect(object).toEqual(thing('a'));
  });

  it('makes a description that cannot be changed', () => {
    const { parts } = builder().extension(Thing).build();
    expect(() => Object.assign(parts, { workerCount: 9 })).toThrow(TypeError);
  });
});
