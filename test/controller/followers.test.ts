import { afterEach, describe, expect, it } from 'vitest';
import type { ControllerBuilder } from '../../src/controller/builder.js';
import { WorkerScheduler } from '../../src/controller/queue/worker-scheduler.js';
import { RunningController } from '../../src/controller/running-controller.js';
import type { ControllerSource } from '../../src/controller/source.js';
import { modelOf } from '../model/helpers.js';
import { controllerOf, FakeClock, MemoryLog, MemorySource, Thing, until } from './helpers.js';

const Part = modelOf('Part');
const running: RunningController[] = [];
const clock = new FakeClock();

afterEach(async () => {
  const stopped = running.splice(0).map((controller) => controller.stop(0));
  clock.advance(0);
  await Promise.all(stopped);
});

/** A controller of things that watches parts; the name of a part begins with that of its thing. */
async function start(describeMore: (builder: ControllerBuilder) => ControllerBuilder = (builder) => builder) {
  const [things, parts] = [new MemorySource(), new MemorySource()];
  const sourceOf = (model: unknown): MemorySource => (model === Thing ? things : parts);
  const source: ControllerSource = {
    open: (model, signal) => sourceOf(model).open(model, signal),
    names: (model, options) => sourceOf(model).names(model, options),
    added: (model) => sourceOf(model).added(),
    readableRevision: () => Math.min(things.readableRevision(), parts.readableRevision()),
    countSetbacks: () => () => 0,
  };
  const log = new MemoryLog();
  const reconciled: string[] = [];
  const controller = new RunningController(
    'plugin-thing',
    'plugin',
    controllerOf(
      (name) => reconciled.push(name) && undefined,
      (builder) =>
        describeMore(builder).watches(Part, (part) => [
          { name: (part as { metadata: { name: string } }).metadata.name.slice(0, 1) },
        ]),
    ),
    { source, clock, logger: log, scheduler: new WorkerScheduler(), onTrouble: () => undefined },
  );
  running.push(controller);
  controller.start();
  await until('the controller runs', () => controller.status().phase === 'running');
  const settled = (): Promise<void> => until('all is done', () => controller.leftToDo(0) === undefined);
  await settled();
  return { controller, things, parts, log, reconciled, settled };
}

describe('a controller that watches a second model', () => {
  it('lists both models again when it lost changes of the second, and recovers', async () => {
    const { controller, things, parts, log, reconciled, settled } = await start();
    things.put('a', {}, { lost: true });
    parts.put('b-1', {}, { lost: true });
    parts.openErrors.push(new Error('not yet'));
    parts.streams.at(-1)?.end(new Error('too slow'));
    await until('it recovers', () => controller.status().phase === 'recovering');
    expect(controller.status().message).toBe('too slow');
    expect(controller.leftToDo(0)).toBe('is recovering');
    clock.advance(60_000);
    await until('it fails again', () => controller.status().message === 'not yet');
    clock.advance(60_000);
    await settled();
    expect([...reconciled].sort()).toEqual(['a', 'b']);
    expect(log.matching('lost the changes of Part, which it watches')).toHaveLength(2);
    parts.put('c-1');
    await until('it follows again', () => reconciled.includes('c'));
  });

  it('has not done its work before it has seen the changes of all models', async () => {
    const { controller, things, parts } = await start();
    things.revision = 7;
    expect(controller.leftToDo(7)).toBe('has not seen all changes up to revision 7');
    parts.revision = 7;
    expect(controller.leftToDo(7)).toBeUndefined();
  });

  it('is not slowed down by many changes of the second', async () => {
    const { parts, log, reconciled } = await start();
    for (let i = 1; i <= 300; i++) {
      parts.put('a-1', { spec: { i } });
      await until('it is reconciled', () => reconciled.length === i);
    }
    expect(log.lines).toEqual([]);
  });

  it('is slowed down when the reconciles come from its own changes', async () => {
    const { things, parts, log, reconciled } = await start();
    for (let i = 1; i <= 100; i++) {
      things.put('a', { spec: { i } });
      await until('it is reconciled', () => reconciled.length === i);
    }
    expect(log.matching('has reconciled "a" 100 times')).toHaveLength(1);
    things.put('a');
    parts.put('a-1');
    await until('the part is not delayed', () => reconciled.length === 101);
  });
});
