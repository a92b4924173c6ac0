import type { Service } from '../service/service.js';
import { metaKey, under } from '../store/index/keys.js';
import type { Fence } from '../store/fence.js';
import type { Store } from '../store/store.js';
import { withSnapshot } from '../store/with-snapshot.js';
import { dropDeadLetters } from './dead-letters.js';
import {
  progressFrom,
  progressIn,
  putProgress,
  readProgress,
  removeProgress,
  type DeliveryProgress,
} from './progress.js';
import { WEBHOOKS, type Webhook } from './webhook.js';

const STATES = under(metaKey('webhook/'));
const PAGE = 1_000;

/** The stored state of a webhook. A new webhook begins with the changes after its creation. */
export async function beginProgress(
  service: Service,
  fence: Pick<Fence, 'guard'>,
  { metadata }: Webhook,
): Promise<DeliveryProgress> {
  const { engine } = service.store;
  const known = await readProgress(engine, metadata.uid);
  if (known !== undefined) return known;
  const first = progressFrom(await findCreation(service, metadata.name));
  return engine.commit((tx) => {
    fence.guard(tx);
    const found = progressIn(tx, metadata.uid);
    if (found === undefined) putProgress(tx, metadata.uid, first);
    return found ?? first;
  });
}

/** The revision of a webhook's creation; 0 when the log no longer has it. */
async function findCreation(service: Service, name: string): Promise<number> {
  let token: string | undefined;
  for (;;) {
    const page = await service.history(WEBHOOKS, name, token === undefined ? {} : { continue: token });
    const created = page.items.find(({ verb }) => verb === 'create');
    if (created !== undefined) return Number(created.resourceVersion);
    token = page.metadata.continue;
    if (token === undefined) return 0;
  }
}

/** Removes the states and the dead letters of webhooks that are gone. @param uids those that are there */
export async function forgetRemoved(
  { engine }: Pick<Store, 'engine'>,
  fence: Pick<Fence, 'guard'>,
  uids: ReadonlySet<string>,
): Promise<void> {
  const pairs = await withSnapshot(engine, (snapshot) => snapshot.scan(STATES, { limit: PAGE }));
  const prefix = STATES.start.length;
  const gone = pairs.map(({ key }) => key.toString('latin1', prefix)).filter((uid) => !uids.has(uid));
  for (const uid of gone) {
    await dropDeadLetters(engine, uid);
    await engine.commit((tx) => {
      fence.guard(tx);
      removeProgress(tx, uid);
    });
  }
}
