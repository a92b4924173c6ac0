import { isRecord } from '../../lib/json/json.js';
import { fullName } from '../../model/full-name.js';
import { SYSTEM_METADATA, type ExtensionObject } from '../../model/object.js';
import { modelKey } from '../../model/resource.js';
import type { BatchItem } from '../../service/verbs.js';
import type { RawWriteResult } from '../../service/write/result.js';
import type { Effect } from './effects.js';
import type { Trial } from './judge.js';
import type { PlannedCommand } from './stored-plan.js';

/** The outcome of a trial for one item; the effect is undefined when it changed nothing. */
export interface ItemOutcome {
  readonly item: BatchItem;
  readonly position: number;
  readonly name: string;
  readonly result: RawWriteResult;
  readonly effect: Effect | undefined;
}

/** The effects of a trial, by item, and those that followed from them. */
export interface Outcomes {
  readonly items: readonly ItemOutcome[];
  readonly others: readonly Effect[];
}

/** The changes of a commit are in the order of its items; what follows from them comes between, or after. */
export function outcomesOf(items: readonly BatchItem[], { result, effects }: Trial): Outcomes {
  const taken = new Set<number>();
  let from = 0;
  const outcomes = result.items.flatMap((one, position) => {
    const item = items[position];
    if (item === undefined) return [];
    const name = fullName(item.resource, one.metadata);
    const key = modelKey(item.resource);
    const at = one.changed
      ? effects.findIndex(
          (effect, i) => i >= from && effect.name === name && modelKey(effect.resource) === key,
        )
      : -1;
    if (at >= 0) {
      taken.add(at);
      from = at + 1;
    }
    return { item, position, name, result: one, effect: at < 0 ? undefined : effects[at] };
  });
  return { items: outcomes, others: effects.filter((_effect, i) => !taken.has(i)) };
}

/** The writes that repeat the outcomes, each on the state that the trial found. */
export function plannedWrites({ items }: Outcomes): PlannedCommand[] {
  const seen = new Set<string>();
  return items.map(({ item, name, result, effect }) => {
    const key = `${modelKey(item.resource)} ${name}`;
    // Later writes of the same object are based on the first one.
    const isFirst = !seen.has(key);
    seen.add(key);
    const asked = item.verb;
    const before = effect === undefined ? result.object : effect.before;
    if (item.verb === 'delete') return { ...deletion(item, before, isFirst), name, asked };
    const { object, resource } =
      effect?.after === undefined
        ? { object: result.object, resource: item.resource }
        : { object: effect.after, resource: effect.resource };
    const { group, version, kind } = resource;
    const lock = isFirst && before !== undefined ? { resourceVersion: before.metadata.resourceVersion } : {};
    const { uid } = object.metadata;
    const identity = asked === 'create' && { uid };
    return { model: { group, version, kind }, name, asked, object: withLock(object, lock), ...identity };
  });
}

function deletion(
  item: Extract<BatchItem, { verb: 'delete' }>,
  before: ExtensionObject | undefined,
  isFirst: boolean,
): Pick<PlannedCommand, 'model' | 'preconditions' | 'propagationPolicy'> {
  const { group, version, kind } = item.resource;
  const { propagationPolicy } = item;
  return {
    model: { group, version, kind },
    ...(isFirst &&
      before !== undefined && {
        preconditions: { uid: before.metadata.uid, resourceVersion: before.metadata.resourceVersion },
      }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
  };
}

const SYSTEM: ReadonlySet<string> = new Set([...SYSTEM_METADATA, 'generateName']);

function withLock(object: ExtensionObject, lock: object): unknown {
  const { metadata, ...rest } = object;
  const own = Object.entries(metadata).filter(([key]) => !SYSTEM.has(key));
  return { ...rest, metadata: { ...(isRecord(metadata) && Object.fromEntries(own)), ...lock } };
}
