import { ControllerManager } from '../../src/controller/manager.js';
import type { Reconciler } from '../../src/controller/reconciler.js';
import { setUp } from '../../src/controller/set-up.js';
import { controllerSource } from '../../src/daemon/controller-source.js';
import { Leadership } from '../../src/daemon/leadership.js';
import { startUpkeep, type LogWork } from '../../src/daemon/upkeep.js';
import { ServiceError } from '../../src/errors.js';
import { SILENT } from '../../src/lib/log/logger.js';
import type { ModelLifecycle } from '../../src/lifecycle/model-lifecycle.js';
import type { Service } from '../../src/service/service.js';
import { Card, type CardStatus, MODELS, registry } from './models.js';
import type { Server } from './world.js';

const [NOTES, CARDS] = MODELS;

/** Keeps the status of each card equal to its spec, with the token of the leader that wrote it. */
function statusKeeper(service: Service): Reconciler {
  return {
    async reconcile({ name, leadership }) {
      const card = await service.get(CARDS, name).catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === 'NotFound') return undefined;
        throw error;
      });
      if (card === undefined) return;
      const { level } = card.spec as { readonly level: number };
      const token = leadership?.token ?? 0;
      const before = card.status as CardStatus | undefined;
      if (before?.level === level && before.token === token) return;
      const status: CardStatus = { level, token };
      await service.update(CARDS, name, { ...card, status }, {}, 'status');
    },
    setupWith: (builder) => builder.extension(Card).maxDelay(1_000).build(),
  };
}

/** Lets a process lead, as a daemon does: of all processes, one runs the controller and the upkeep. */
export async function startLeading(
  { cluster, store }: ModelLifecycle,
  service: Service,
  changesMin: number,
  webhooks: LogWork | undefined,
): Promise<void> {
  const controllers = new ControllerManager({
    waitsToLead: true,
    source: controllerSource(service, registry),
    loggerFor: () => SILENT,
  });
  controllers.add('simulation', setUp(statusKeeper(service)));
  const leadership = new Leadership({ cluster, controllers, logger: SILENT });
  const config = {
    auth: 'none' as const,
    logRetentionCount: changesMin,
    logRetentionAgeMs: 0,
    logRetentionBytes: Infinity,
  };
  leadership.allowUpkeep((term) =>
    startUpkeep({ store, service, ...(webhooks && { webhooks }) }, config, SILENT, term),
  );
  await leadership.start();
}

/** The work for a leader that is not done; undefined when all is. */
export async function findWork({ service }: Server): Promise<string | undefined> {
  const [cards, notes] = [await service.list(CARDS), await service.list(NOTES)];
  const uids = new Set(notes.items.map(({ metadata }) => metadata.uid));
  for (const { metadata, spec, status } of cards.items) {
    const { level } = spec as { readonly level: number };
    if ((status as CardStatus | undefined)?.level !== level) return `${metadata.name} has another status`;
    const owners = metadata.ownerReferences ?? [];
    if (owners.some(({ uid }) => !uids.has(uid))) return `the owner of ${metadata.name} is gone`;
  }
  const deleted = [...cards.items, ...notes.items].find(
    ({ metadata }) => metadata.deletionTimestamp !== undefined,
  );
  return deleted && `${deleted.metadata.name} is not removed`;
}
