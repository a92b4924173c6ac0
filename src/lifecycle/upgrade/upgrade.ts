import { type ServiceError, unavailable } from '../../errors.js';
import { Member, type MemberOptions } from '../../cluster/member.js';
import { findAnyServer, holderText } from '../../cluster/served-models.js';
import { WorkLease } from '../../cluster/work-lease.js';
import { readCatalog } from '../../store/catalog.js';
import type { Engine } from '../../store/engine.js';
import { beginUpgrade, FORMAT, readFormat } from '../../store/format.js';
import { countKey } from '../../store/index/keys.js';
import { decodeCount } from '../../store/transaction.js';
import { readOlderStore } from './older-store.js';
import type { FormatStep } from './step.js';
import { stepsFor } from './steps.js';

/** The handling of a store of an older format at the start: upgrade it, or refuse to open it. */
export type UpgradePolicy = 'auto' | 'never';

export interface UpgradeProgress extends Pick<FormatStep, 'from' | 'to' | 'description'> {
  /** Number of objects. */
  readonly done: number;
  readonly total: number;
}

export interface UpgradeOptions extends MemberOptions {
  /** Default: `auto`. */
  readonly upgrade?: UpgradePolicy | undefined;
  /** True to upgrade although another process that may be alive serves models of the store. */
  readonly takeover?: boolean | undefined;
  /** The version of this program. */
  readonly program?: string | undefined;
  readonly onUpgrade?: ((progress: UpgradeProgress) => void) | undefined;
}

export interface UpgradedStore {
  readonly engine: Engine;
  /** The format of an older store that is read as if it was upgraded. */
  readonly olderFormat?: number | undefined;
}

/** The upgrades that a store needs. */
export interface UpgradePlan {
  readonly format: number;
  /** Each is from a format to the next; none for a store of the present format. */
  readonly steps: readonly Pick<FormatStep, 'from' | 'to' | 'description'>[];
  /** True when the first of them was interrupted. */
  readonly isBegun: boolean;
  readonly objects: number;
  readonly models: number;
}

/**
 * Brings a store to the present format before it is opened. An interrupted upgrade continues. Of several processes
 * one does the work, and the others wait.
 * @returns the engine; for a store of an older format that is opened for reading only, it reads as if it was upgraded
 * @throws ServiceError `ServiceUnavailable` for a newer format, when upgrades are not wanted, and when a process of an
 * older version serves the store
 */
export async function upgradeStore(engine: Engine, options: UpgradeOptions): Promise<UpgradedStore> {
  const { readOnly = false, upgrade = 'auto', program } = options;
  const format = await readFormat(engine);
  const steps = format === undefined ? [] : stepsFor(format, program);
  if (steps.length === 0) return { engine };
  if (readOnly) return { engine: readOlderStore(engine, steps), olderFormat: format?.number };
  if (upgrade === 'never') throw notUpgraded(format?.number);
  const member = new Member(engine, options);
  const lease = new WorkLease(member, { name: 'upgrade', text: 'the upgrade of the store' });
  try {
    await lease.acquire();
    // Another process may have upgraded it, and serves models now.
    const isNeeded = (await planUpgrade(engine, program)).steps.length > 0;
    if (isNeeded && options.takeover !== true) await refuseServed(engine, member);
    await upgradeAll(engine, lease, options);
  } finally {
    await lease.release();
  }
  return { engine };
}

/** The upgrades that a store needs, without a change. @throws ServiceError `ServiceUnavailable` as {@link upgradeStore} */
export async function planUpgrade(engine: Engine, program: string | undefined): Promise<UpgradePlan> {
  const format = (await readFormat(engine)) ?? { number: FORMAT, program, upgrade: undefined };
  const { objects, models } = await countAll(engine);
  return {
    format: format.number ?? 0,
    steps: stepsFor(format, program).map(({ from, to, description }) => ({ from, to, description })),
    isBegun: format.upgrade !== undefined,
    objects,
    models,
  };
}

async function upgradeAll(engine: Engine, lease: WorkLease, options: UpgradeOptions): Promise<void> {
  const { owner, program, onUpgrade = () => undefined } = options;
  const { objects: total } = await countAll(engine);
  for (;;) {
    const format = await readFormat(engine);
    const [step] = format === undefined ? [] : stepsFor(format, program);
    if (step === undefined) return;
    if (format?.number !== step.to)
      await engine.commit((tx) => {
        lease.guard(tx);
        beginUpgrade(tx, step.to, program);
        step.begin(tx, owner);
      });
    const { from, to, description } = step;
    await step.run({
      engine,
      owner,
      stillMine: (tx) => lease.guard(tx),
      progress: (done) => onUpgrade({ from, to, description, done, total }),
    });
  }
}

async function countAll(engine: Engine): Promise<{ objects: number; models: number }> {
  const { models } = await readCatalog(engine);
  let objects = 0;
  for (const { id } of models.values()) objects += decodeCount(await engine.get(countKey(id))).objects;
  return { objects, models: models.size };
}

/** Before the upgrade, every process that serves models is of an older version. */
async function refuseServed(engine: Engine, member: Member): Promise<void> {
  const holder = await findAnyServer(engine, member);
  if (holder === undefined) return;
  throw unavailable(
    `${holderText(holder)} serves the store with an older version of xsvc; stop it before the store is upgraded, ` +
      'or use --takeover when it has ended',
  );
}

function notUpgraded(format: number | undefined): ServiceError {
  return unavailable(
    `the store has format ${format ?? 'unknown'}, this version needs format ${FORMAT}; ` +
      'write a backup with `xsvc backup FILE`, then run `xsvc store upgrade`, or start the service with --upgrade auto',
  );
}
