import { isDeepStrictEqual } from 'node:util';
import { conflict, hasCode } from '../../errors.js';
import { isReservedGroup } from '../../model/names-and-labels.js';
import { splitFullName } from '../../model/full-name.js';
import type { ExtensionObject } from '../../model/object.js';
import { getOwners } from '../../model/owner-references.js';
import { inOneVersion } from '../../model/resolve-resource.js';
import { qualifiedPlural, type Resource } from '../../model/resource.js';
import type { Condition } from '../../query/condition.js';
import { matchesLabels } from '../../query/label-match.js';
import type { BatchItem, Verbs } from '../../service/verbs.js';
import { counted } from '../output/counted.js';
import { getSubject } from '../output/written.js';
import type { Target } from '../targets.js';
import { withLivingOwners } from './living-owners.js';
import { findTouched, tooMany, type Period, type Touched } from './touched.js';
import { placedSubject, type UndoStep } from './undo-step.js';
import { restoredDraft } from './undo.js';

/** Most objects of an undo: those of one batch. */
export const UNDONE_MAX = 10_000;
/** Most objects that are looked at, when a selector leaves some of them out. */
const TOUCHED_MAX = 100_000;
/** Objects that a refusal names. */
const NAMED_MAX = 20;

/** A part of the changed objects. */
export interface UndoChoice {
  /** Undefined: all models that the user may see, except those of the platform. */
  readonly resource: Resource | undefined;
  /** Empty: all objects. */
  readonly names: readonly Target[];
  /** Undefined: all objects. Must hold for the present or the earlier labels. */
  readonly labels: Condition | undefined;
  /** True: changes of other users are taken back too, where they came after. */
  readonly force: boolean;
}

export interface UndoPlan {
  /** Deletions first, so that unique values are free. */
  readonly steps: readonly UndoStep[];
  /** Models whose history the user may not see. */
  readonly skipped: readonly string[];
}

/**
 * Plans the writes that take back all changes of a period.
 * @throws ServiceError `Conflict` when other users changed the objects after, or objects are being deleted; `Expired`;
 * `RequestEntityTooLarge`; `Forbidden` for a resource that was named
 */
export async function planUndo(verbs: Verbs, period: Period, choice: UndoChoice): Promise<UndoPlan> {
  const { resource, labels } = choice;
  const models =
    resource === undefined
      ? inOneVersion(await verbs.resources()).filter(({ group }) => !isReservedGroup(group))
      : [resource];
  const refusals = new Refusals(period, choice.force);
  const steps: UndoStep[] = [];
  const skipped: string[] = [];
  let { since } = period;
  for (const model of models) {
    const most = labels === undefined && choice.names.length === 0 ? UNDONE_MAX - steps.length : TOUCHED_MAX;
    try {
      const found = await findTouched(verbs, model, { ...period, since }, most);
      since = found.since;
      const wanted = chosenNames(found.touched, choice);
      steps.push(...(await stepsFor(verbs, wanted, { choice, refusals })));
    } catch (error) {
      if (resource !== undefined || !hasCode(error, 'Forbidden')) throw error;
      skipped.push(qualifiedPlural(model));
    }
    if (steps.length > UNDONE_MAX) throw tooMany(UNDONE_MAX);
  }
  refusals.check();
  const sorted = [...steps].sort((a, b) => rank(a) - rank(b));
  return { steps: await withLivingOwners(verbs, sorted), skipped };
}

const ORDER = ['delete', 'update', 'create'] as const;

function rank({ verb }: UndoStep): number {
  return ORDER.indexOf(verb);
}

function chosenNames(touched: readonly Touched[], { names }: UndoChoice): readonly Touched[] {
  if (names.length === 0) return touched;
  const wanted = new Set(names.map(({ name }) => name));
  return touched.filter(({ name }) => wanted.has(name));
}

async function stepsFor(
  verbs: Verbs,
  touched: readonly Touched[],
  { choice, refusals }: { readonly choice: UndoChoice; readonly refusals: Refusals },
): Promise<UndoStep[]> {
  const [first] = touched;
  if (first === undefined) return [];
  const live = await verbs.getMany(
    first.resource,
    touched.map(({ name }) => name),
  );
  return touched.flatMap((one, i) => {
    const now = live[i];
    if (!isChosen(choice, one.before, now)) return [];
    const step = stepFor(one, now);
    if (step === undefined) return [];
    refusals.note(placedSubject(step), one, now);
    return step;
  });
}

function isChosen({ labels }: UndoChoice, ...states: readonly (ExtensionObject | undefined)[]): boolean {
  if (labels === undefined) return true;
  return states.some((state) => state !== undefined && matchesLabels(labels, state.metadata.labels ?? {}));
}

/** Undefined when the object is as before already. */
function stepFor(
  { resource, name, before }: Touched,
  live: ExtensionObject | undefined,
): UndoStep | undefined {
  const subject = getSubject(resource, name);
  const { namespace } = splitFullName(name);
  if (before === undefined) {
    if (live?.metadata.deletionTimestamp !== undefined || live === undefined) return undefined;
    const preconditions = { resourceVersion: live.metadata.resourceVersion };
    return {
      verb: 'delete',
      subject,
      namespace,
      owners: [],
      item: { verb: 'delete', resource, name, preconditions },
    };
  }
  const object = restoredDraft({ live, state: before });
  if (live === undefined) {
    const item: BatchItem = { verb: 'create', resource, object };
    return { verb: 'create', subject, namespace, owners: getOwners(before), item };
  }
  // The status stays as it is.
  const { status: _, ...compared } = live;
  // The mark of a deletion cannot be taken back, which is refused later.
  if (live.metadata.deletionTimestamp === undefined && isDeepStrictEqual(object, compared)) return undefined;
  return { verb: 'update', subject, namespace, owners: [], item: { verb: 'update', resource, name, object } };
}

/** Collects the reasons against an undo, so that it names all objects at once. */
class Refusals {
  readonly #changed: string[] = [];
  readonly #going: string[] = [];
  readonly #moved: string[] = [];

  constructor(
    private readonly period: Period,
    private readonly force: boolean,
  ) {}

  note(subject: string, { others, newest }: Touched, live: ExtensionObject | undefined): void {
    if (others.size > 0 && !this.force) this.#changed.push(`${subject} (${[...others].join(', ')})`);
    if (live === undefined) return;
    if (live.metadata.deletionTimestamp !== undefined) this.#going.push(subject);
    else if (live.metadata.resourceVersion !== newest) this.#moved.push(subject);
  }

  /** @throws ServiceError `Conflict` */
  check(): void {
    const { user = '' } = this.period;
    refuse(this.#changed, `changed by others after ${user}; use --force to undo those changes as well`);
    refuse(this.#going, 'being deleted, which can be undone only after the removal');
    refuse(this.#moved, 'changed meanwhile; run it again');
  }
}

function refuse(subjects: readonly string[], reason: string): void {
  if (subjects.length === 0) return;
  const named = subjects.slice(0, NAMED_MAX).join(', ');
  const more = subjects.length > NAMED_MAX ? `, and ${subjects.length - NAMED_MAX} more` : '';
  throw conflict(`${counted(subjects.length, 'object')} ${reason}: ${named}${more}`);
}
