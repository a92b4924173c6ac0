import { changedFields } from '../../service/read/changed-fields.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import { fieldSetOf } from '../../service/scope/object-scope.js';
import { picked, ScopedModel } from '../../service/scope/scoped-model.js';
import type { FieldChange } from '../../service/verbs.js';
import { countFitting, ITEMS_BYTES_MAX, jsonBytes } from '../answer/bounds.js';
import { shortenChanges } from '../answer/changes.js';
import type { Caller } from '../caller.js';
import { shownModel } from '../names.js';
import { defineTool, type ToolAnswer } from '../tool.js';
import { fingerprint, verbOf, type Effect } from './effects.js';
import { ITEMS, readItems } from './items.js';
import { judgeItems, type ItemViolation } from './judge.js';
import { ownedWarnings } from './owned.js';
import { outcomesOf, plannedWrites, type Outcomes } from './planned-writes.js';
import { storePlan } from './stored-plan.js';
import { authorizeItem, writesOf } from './writes.js';

export const PLAN_TOOL = defineTool({
  name: 'plan',
  title: 'Plan changes',
  description:
    'Tries changes without storing them, and shows what each would change, deletions that follow from others included (`cause`: "cascade"). When `violations` is empty, the answer has a `plan` for the tool `apply`; it is good for 10 minutes and one use. Otherwise correct the items and plan again.',
  parameters: { items: ITEMS },
  isReadOnly: true,
  isDestructive: false,
  isIdempotent: false,
  run: async ({ items: given }, caller) => {
    const writes = writesOf(caller);
    writes.beforePlan?.();
    const items = await readItems(caller, given);
    for (const item of items) authorizeItem(caller, item);
    const judged = await judgeItems(writes, items);
    if (!('trial' in judged)) return refused(judged.violations, judged.isComplete);
    const outcomes = outcomesOf(items, judged.trial);
    const deferred = deferredViolations(outcomes);
    if (deferred.length > 0) return refused(deferred, true);
    const { effects } = judged.trial;
    const planned = {
      holder: writes.holder,
      writes: plannedWrites(outcomes),
      effects: effects.map(fingerprint),
    };
    const stored = await storePlan(writes.service.store.engine, planned, writes.beforeStored);
    const owned = await ownedWarnings(writes, caller.rights, outcomes.items);
    return { ...stored, ...describe(caller, outcomes, owned), violations: [] };
  },
});

function refused(violations: readonly ItemViolation[], isComplete: boolean): ToolAnswer {
  const count = countFitting(violations);
  const omitted = violations.length - count;
  return {
    items: [],
    violations: violations.slice(0, count),
    ...((omitted > 0 || !isComplete) && { omittedViolations: isComplete ? omitted : 'unknown' }),
  };
}

/** A plan shows all deletions, so those of later commits are not possible. */
function deferredViolations({ items, others }: Outcomes): readonly ItemViolation[] {
  const isAny = others.some(({ isDeferred }) => isDeferred);
  return items
    .filter(({ item, effect }) => effect?.isDeferred === true || (isAny && item.verb === 'delete'))
    .map(({ position }) => ({
      item: position,
      field: 'metadata.name',
      reason: 'RequestEntityTooLarge',
      message: 'too many objects would be deleted with it for one commit; delete some of them first',
    }));
}

/** A change of a plan, for its reader. */
interface PlannedItem {
  readonly verb: string;
  readonly model: string;
  readonly name: string;
  /** `cascade`: it follows from another item. */
  readonly cause?: 'cascade';
  readonly changes: readonly FieldChange[];
  readonly warnings: readonly string[];
}

function describe(
  caller: Caller,
  { items, others }: Outcomes,
  owned: ReadonlyMap<number, string>,
): ToolAnswer {
  const { rights } = caller;
  const shown = others.filter(({ resource }) => rights?.mayList(resource) ?? true);
  const hidden = others.length - shown.length;
  const all: PlannedItem[] = [
    ...items.map(({ item, position, name, result, effect }) => ({
      verb: item.verb,
      model: shownModel(item.resource),
      name,
      changes: effect === undefined ? [] : seenChanges(caller, effect),
      warnings: [...result.warnings, ...[owned.get(position) ?? []].flat()],
    })),
    ...shown.map((effect) => ({
      verb: verbOf(effect),
      model: shownModel(effect.resource),
      name: effect.name,
      cause: 'cascade' as const,
      changes: seenChanges(caller, effect),
      warnings: [],
    })),
  ];
  return {
    ...fitted(all),
    // Objects of models that the caller may not list are counted.
    ...(hidden > 0 && { hiddenItems: hidden }),
  };
}

/** The fields of a new object, or those that change, as far as the caller sees them; none for a deleted object. */
function seenChanges(caller: Caller, effect: Effect): readonly FieldChange[] {
  const { before, after, resource } = effect;
  if (after === undefined) return [];
  const scope = caller.rights?.scopes.related.get(resource);
  // Without any right to read, the caller sees what it writes.
  if (scope === undefined || scope.parts.length === 0) return changesBetween(before, after, resource);
  const scoped = new ScopedModel(writesOf(caller).service.models.view(resource), scope);
  const seen = (object: ExtensionObject): ExtensionObject =>
    picked(object, scoped.fieldsOf(object) ?? NO_FIELDS);
  return changesBetween(before && seen(before), seen(after), resource);
}

const NO_FIELDS = fieldSetOf([]);

function changesBetween(
  before: ExtensionObject | undefined,
  after: ExtensionObject,
  { secretFields }: Resource,
): readonly FieldChange[] {
  const { apiVersion, kind, metadata } = after;
  const { uid, generation, version, resourceVersion, creationTimestamp, updateTimestamp, name } = metadata;
  const system = { uid, generation, version, resourceVersion, creationTimestamp, updateTimestamp, name };
  const empty = { apiVersion, kind, metadata: system };
  return changedFields(before ?? empty, after, secretFields);
}

/** Longest changes of one item when all do not fit, in bytes; tried in this order. */
const CHANGES_BYTES = [8_192, 1_024, 256];

/** The items within an answer: with short values when there are many, and without the last ones when there are too many. */
function fitted(items: readonly PlannedItem[]): ToolAnswer {
  if (jsonBytes(items) <= ITEMS_BYTES_MAX) return { items };
  for (const max of CHANGES_BYTES) {
    const shorter = items.map((item) => ({ ...item, changes: shortenChanges(item.changes, max) }));
    if (jsonBytes(shorter) <= ITEMS_BYTES_MAX) return { items: shorter };
  }
  const names = items.map((item) => ({ ...item, changes: [], warnings: [] }));
  const count = countFitting(names);
  return { items: names.slice(0, count), omittedItems: names.length - count };
}
