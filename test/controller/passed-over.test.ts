import { afterAll, expect, it } from 'vitest';
import { RunningController } from '../../src/controller/running-controller.js';
import { setUp } from '../../src/controller/set-up.js';
import { WorkerScheduler } from '../../src/controller/queue/worker-scheduler.js';
import { controllerSource } from '../../src/daemon/controller-source.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { SYSTEM_CLOCK } from '../../src/lib/time/clock.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { passOver } from '../helpers/passed-over.js';
import { removeDirectories } from '../helpers/store.js';
import { byColor, thing, Thing, THING } from '../store/helpers.js';
import { usePrograms, type Program } from '../watch/helpers.js';
import { turn, until } from './helpers.js';

afterAll(removeDirectories);
const programs = usePrograms();

type Read = (program: Program, name: string) => Promise<boolean>;

const READS: readonly (readonly [what: string, read: Read])[] = [
  [
    'an object',
    async ({ store }, name) => {
      const table = store.findTable(THING);
      return table !== undefined && (await store.find(table, name)) !== undefined;
    },
  ],
  [
    'a list',
    async ({ service }, name) =>
      (await service.list(THING)).items.some(({ metadata }) => metadata.name === name),
  ],
];

it.each(READS)(
  'a reconcile that read %s as before its change is repeated, although the change is readable at its end',
  async (_what, read) => {
    const program = await programs.start();
    const { service } = program;
    const found: boolean[] = [];
    const registry = new SchemeRegistry();
    registry.register(Thing, 'test', byColor);
    const controller = new RunningController(
      'test-thing',
      'test',
      setUp({
        async reconcile({ name }) {
          if (found.length === 0) passOver(programs.directory);
          found.push(await read(program, name));
          while (!(await read(program, name))) await turn();
        },
        setupWith: (builder) => builder.extension(Thing).build(),
      }),
      {
        source: controllerSource(service, registry),
        clock: SYSTEM_CLOCK,
        logger: SILENT,
        scheduler: new WorkerScheduler(),
        onTrouble: () => undefined,
      },
    );
    controller.start();
    await until('the controller runs', () => controller.status().phase === 'running');
    await service.create(THING, thing('a'));
    await until('it is done', () => controller.status().counts.reconciled === 1);
    await controller.stop(1_000);
    expect(found).toEqual([false, true]);
    expect(controller.status().counts).toMatchObject({ conflicts: 1, failed: 0 });
  },
);
