import { afterEach, describe, expect, it } from 'vitest';
import { ControllerManager } from '../../src/controller/manager.js';
import { controllerName, uniqueName } from '../../src/controller/naming.js';
import { controllerObject } from '../../src/controller/status.js';
import { badRequest } from '../../src/errors.js';
import { gvk } from '../model/helpers.js';
import type { Request } from '../../src/controller/request.js';
import { controllerOf, FakeClock, MemoryLog, MemorySource, thing, turn, until } from './helpers.js';

const managers: { readonly manager: ControllerManager; readonly clock: FakeClock }[] = [];

afterEach(async () => {
  for (const { manager, clock } of managers.splice(0)) {
    const closed = manager.close(0);
    clock.advance(0);
    await closed;
  }
});

function managerOf(...names: readonly string[]) {
  const [source, clock] = [new MemorySource(), new FakeClock()];
  for (const name of names) source.objects.set(name, thing(name));
  const logs = new Map<string, MemoryLog>();
  const loggerFor = (owner: string): MemoryLog => {
    const log = logs.get(owner) ?? new MemoryLog();
    logs.set(owner, log);
    return log;
  };
  const manager = new ControllerManager({ source, clock, loggerFor });
  managers.push({ manager, clock });
  return { manager, source, clock, logs };
}

function fails(): never {
  throw new Error('not yet');
}

describe('the manager of controllers', () => {
  it('names controllers after plugin and reconciler, and gives each a unique name', () => {
    const { manager } = managerOf();
    manager.add(
      'shop',
      controllerOf(() => undefined),
    );
    manager.add(
      'shop',
      controllerOf(() => undefined),
    );
    manager.add(
      'depot',
      controllerOf(() => undefined),
    );
    manager.add(
      'depot',
      controllerOf(
        () => undefined,
        (builder) => builder.name('stock'),
      ),
    );
    expect(manager.list().map(({ name, owner }) => [name, owner])).toEqual([
      ['depot-stock', 'depot'],
      ['depot-thing-reconciler', 'depot'],
      ['shop-thing-reconciler', 'shop'],
      ['shop-thing-reconciler-2', 'shop'],
    ]);
  });

  it('removes the controllers of one plugin, and leaves the others', async () => {
    const { manager, source } = managerOf();
    const reported: string[] = [];
    for (const owner of ['shop', 'depot'])
      manager.add(
        owner,
        controllerOf((name) => reported.push(`${owner} ${name}`)),
      );
    await manager.removeAll('shop', 1000);
    source.put('later');
    await until('the other one works', () => reported.includes('depot later'));
    expect(reported).not.toContain('shop later');
    expect(manager.list().map(({ owner }) => owner)).toEqual(['depot']);
    expect(manager.find('shop-thing-reconciler')).toBeUndefined();
    manager.add(
      'shop',
      controllerOf(() => undefined),
    );
    expect(manager.find('shop-thing-reconciler')?.owner).toBe('shop');
  });

  it('reports the pending work of all controllers of a model for one object', async () => {
    const { manager, clock, logs } = managerOf('a');
    manager.add('shop', controllerOf(fails));
    manager.add(
      'depot',
      controllerOf(() => new Promise(() => undefined)),
    );
    manager.add(
      'other',
      controllerOf(() => undefined),
    );
    await until('one fails and one hangs', () => manager.getRetries(gvk('Thing'), 'a').length === 2);
    await until('both are there', () => manager.list().every(({ phase }) => phase === 'running'));
    const since = new Date(clock.now()).toISOString();
    expect(manager.getRetries(gvk('Thing'), 'a')).toMatchObject([
      { owner: 'shop', state: 'delayed', attempts: 1, error: 'not yet', since },
      { owner: 'depot', state: 'working', attempts: 0, since },
    ]);
    expect(manager.getRetries(gvk('Thing'), 'a')[0]?.nextAttempt).toMatch(/^2026-11-20T08:00:00\.00[56]Z$/);
    expect(manager.getRetries(gvk('Thing'), 'b')).toEqual([]);
    expect(manager.getRetries(gvk('Other'), 'a')).toEqual([]);
    expect(logs.get('shop')?.matching('could not reconcile')).toHaveLength(1);
    expect(logs.get('depot')?.lines).toEqual([]);
  });

  it('finds a sync that cannot be listed before it starts', async () => {
    const { manager, source } = managerOf('a', 'b');
    const controller = controllerOf(
      () => undefined,
      (builder) => builder.syncAllListOptions({ fieldSelector: 'spec.x=1' }),
    );
    await manager.check(controller);
    expect(source.namesRead).toBe(1);
    source.listErrors = [badRequest('spec.x is not indexed')];
    await expect(manager.check(controller)).rejects.toMatchObject({ code: 'BadRequest' });
    expect(manager.list()).toEqual([]);
  });
});

describe('a controller as an object', () => {
  it('has its settings as spec and its state as status', async () => {
    const { manager, clock } = managerOf('a');
    const time = new Date(clock.now()).toISOString();
    manager.add('shop', controllerOf(fails));
    await until('it failed', () => manager.list()[0]?.retries.total === 1);
    const [object] = manager.list().map(controllerObject);
    const nextAttempt: unknown = expect.stringMatching(/Z$/);
    expect(object).toEqual({
      apiVersion: 'controller.platform.run/v1alpha1',
      kind: 'Controller',
      metadata: { name: 'shop-thing-reconciler', creationTimestamp: time },
      spec: {
        plugin: 'shop',
        resource: { apiVersion: 'example.com/v1', kind: 'Thing', plural: 'things' },
        workerCount: 1,
        minDelay: '5ms',
        maxDelay: '1000s',
        syncAllOnStart: true,
      },
      status: {
        phase: 'running',
        queueDepth: 0,
        inWork: [],
        retries: { total: 1, next: [{ name: 'a', attempts: 1, error: 'not yet', nextAttempt }] },
        counts: { reconciled: 0, failed: 1, retried: 1, conflicts: 0, synced: 1 },
        lastError: { name: 'a', message: 'not yet', time },
      },
    });
    expect(JSON.parse(JSON.stringify(object))).toEqual(object);
  });
});

describe('names of controllers', () => {
  it.each([
    ['PersonReconciler', 'person-reconciler'],
    ['HTTPRouteController2', 'http-route-controller2'],
    ['_Odd$Name', 'odd-name'],
    ['Ünïcode', 'n-code'],
    ['$', 'thing'],
    ['', 'thing'],
    ['Object', 'thing'],
  ])('of the class %j are %j', (className, name) => {
    expect(controllerName(className, 'thing')).toBe(name);
  });

  it('are not longer than a name may be', () => {
    const taken = new Set<string>();
    for (let i = 0; i < 3; i++) taken.add(uniqueName('p', 'x'.repeat(300), (name) => taken.has(name)));
    expect([...taken].map((name) => [name.length, name.slice(-2)])).toEqual([
      [253, 'xx'],
      [253, '-2'],
      [253, '-3'],
    ]);
  });

  it('has controllers wait until this process leads, and stops them when it leads no more', async () => {
    const { manager, source } = managerOf('a');
    const waiting = new ControllerManager({
      source,
      clock: new FakeClock(),
      loggerFor: () => new MemoryLog(),
      waitsToLead: true,
    });
    const reported: string[] = [];
    const tellToken = (name: string, { leadership }: Request): void => {
      reported.push(`${name} ${leadership?.token ?? 'none'}`);
    };
    waiting.add('shop', controllerOf(tellToken));
    waiting.add('platform', controllerOf(tellToken), 'everyProcess');
    await until('the one of every process works', () => reported.length === 1);
    expect(reported).toEqual(['a none']);
    expect(waiting.list().map(({ owner, phase }) => [owner, phase])).toEqual([
      ['platform', 'running'],
      ['shop', 'standby'],
    ]);
    expect(waiting.leftToDo(0)).toEqual(['controller "shop-thing-reconciler": is standby']);
    waiting.lead({ token: 7, guard: () => undefined });
    await until('the other one works', () => reported.length === 2);
    expect(reported.at(-1)).toBe('a 7');
    await waiting.standBy(0);
    source.put('b');
    await turn(20);
    expect(reported).not.toContain('b 7');
    waiting.lead({ token: 9, guard: () => undefined });
    await until('it begins again', () => reported.includes('a 9') && reported.includes('b 9'));
    expect(waiting.measures().map(({ name }) => name)).toEqual([
      'platform-thing-reconciler',
      'shop-thing-reconciler',
    ]);
    await waiting.close(0);
    expect(manager.list()).toEqual([]);
  });
});
