import { afterEach, describe, expect, it } from 'vitest';
import { unavailable } from '../../src/errors.js';
import { openEventModel } from '../../src/events/model.js';
import { EVENTS } from '../../src/events/names.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { isOwnerAlive, ownerName } from '../../src/lib/process/process-identity.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { Models } from '../../src/service/models.js';
import { Service } from '../../src/service/service.js';
import type { LogPosition, NewRecord } from '../../src/engines/replicated/shared-log.js';
import { ModelLifecycle } from '../../src/lifecycle/model-lifecycle.js';
import type { Store } from '../../src/store/store.js';
import { startUpkeep, type Upkeep } from '../../src/daemon/upkeep.js';
import { MemoryLog, MemoryServer } from './memory-log.js';
import { useEngines } from './shared-log-suite.js';

const engines = useEngines();
let upkeep: Upkeep | undefined;
afterEach(() => upkeep?.stop());

const CONFIG = {
  auth: 'none',
  logRetentionCount: 1,
  logRetentionAgeMs: -60_000,
  logRetentionBytes: 2 ** 30,
} as const;
const FENCE = { token: 1, guard: () => undefined };

const LONG_AGO = '2020-01-01T00:00:00.000Z';

function oldEvent(name: string): object {
  const involvedObject = { apiVersion: 'v1', kind: 'Box', name: 'one' };
  const times = { count: 1, firstTimestamp: LONG_AGO, lastTimestamp: LONG_AGO };
  return {
    metadata: { name },
    involvedObject,
    type: 'Normal',
    reason: 'Test',
    message: 'It is old',
    ...times,
  };
}

/** Refuses the call named in `refused`. */
class RefusingLog extends MemoryLog {
  refused: 'append' | 'checkpointAt' | undefined;

  override async append(after: LogPosition, record: NewRecord): Promise<'appended' | 'moved'> {
    if (this.refused === 'append') throw unavailable('the log is full');
    return super.append(after, record);
  }

  override async checkpointAt(): Promise<LogPosition> {
    if (this.refused === 'checkpointAt') throw unavailable('the checkpoint is away');
    return super.checkpointAt();
  }
}

interface Opened {
  readonly server: MemoryServer;
  readonly log: RefusingLog;
  readonly store: Store;
  readonly service: Service;
}

/** A store that has something for several steps of the upkeep. */
async function openOld(): Promise<Opened> {
  const server = new MemoryServer();
  const log = new RefusingLog(server);
  const engine = await engines.open(() => Promise.resolve(log));
  const lifecycle = await ModelLifecycle.open(engine, {
    now: () => Date.now(),
    owner: ownerName(),
    isAlive: isOwnerAlive,
  });
  const models = new Models(lifecycle);
  const { store } = lifecycle;
  await openEventModel(models, new SchemeRegistry());
  const service = new Service({ store, models });
  for (const name of ['one', 'two', 'three']) await service.create(EVENTS, oldEvent(name));
  return { server, log, store, service };
}

function startOn({ store, service }: Opened): readonly string[] {
  const warnings: string[] = [];
  const logger = { ...SILENT, warn: (message: string) => void warnings.push(message) };
  upkeep = startUpkeep({ store, service }, CONFIG, logger, FENCE);
  return warnings;
}

describe('the upkeep of a store', () => {
  it('brings the checkpoint on, and so makes room, while the log is full', async () => {
    const opened = await openOld();
    opened.log.refused = 'append';
    const warnings = startOn(opened);
    await expect
      .poll(() => warnings)
      .toEqual(['store maintenance failed (the log, old events): the log is full']);
    expect(opened.server.checkpoint.at.id).toBe(opened.server.head.id);
  });

  it('runs the next step after one that failed', async () => {
    const opened = await openOld();
    opened.log.refused = 'checkpointAt';
    const warnings = startOn(opened);
    await expect
      .poll(() => warnings)
      .toEqual(['store maintenance failed (the shared log): the checkpoint is away']);
    expect((await opened.service.list(EVENTS)).items).toEqual([]);
  });
});
