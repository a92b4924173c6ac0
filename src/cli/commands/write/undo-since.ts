import { ServiceError } from '../../../errors.js';
import { parseLabelSelector } from '../../../query/selector.js';
import type { BatchResult, Verbs } from '../../../service/verbs.js';
import { EXIT, UsageError } from '../../exit.js';
import { confirm, UNASKED_MAX } from '../../input/confirm.js';
import type { CliIo } from '../../io.js';
import { findScope, type Scope, type ScopeFlags } from '../../remote/namespaces.js';
import { NONE } from '../../output/columns.js';
import { counted } from '../../output/counted.js';
import { inLines } from '../../output/failure.js';
import { printTable } from '../../output/table.js';
import { readSince } from '../../past/moment.js';
import { NARROW } from '../../past/touched.js';
import { notRestored, placedSubject, type UndoStep } from '../../past/undo-step.js';
import { planUndo, type UndoChoice, type UndoPlan } from '../../past/undo-plan.js';
import { failedItem, printWarnings } from '../../results.js';
import { checkNotEmpty } from '../../select.js';
import { openForChanging, withVerbs } from '../../session.js';
import { readTargets } from '../../targets.js';

export interface UndoSinceFlags extends ScopeFlags {
  readonly since: string;
  readonly user?: string;
  readonly to?: string;
  readonly labelSelector?: readonly string[];
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly output?: string;
}

/** Takes all changes since a time back, in one commit. */
export async function undoSince(flags: UndoSinceFlags, io: CliIo, args: readonly string[]): Promise<number> {
  checkFlags(flags);
  const { since, user } = flags;
  return withVerbs(openForChanging(flags, io), async (verbs) => {
    const scope = await findScope(flags, io);
    const plan = await planUndo(verbs, { since, user, scope }, await readChoice(verbs, flags, args, scope));
    const { steps, skipped } = plan;
    if (skipped.length > 0)
      io.stderr.line(`not searched, because you may not see their history: ${skipped.join(', ')}`);
    if (steps.length === 0) {
      io.stderr.line('nothing to undo');
      return EXIT.done;
    }
    const all = flags.allNamespaces === true;
    await printTable(
      io,
      steps.map(({ namespace = NONE, verb, subject }) => [...(all ? [namespace] : []), verb, subject]),
      [...(all ? ['NAMESPACE'] : []), 'VERB', 'OBJECT'],
    );
    reportOwners(plan, io);
    const who = user === undefined ? '' : ` by ${user}`;
    const question = `Undo the changes of ${counted(steps.length, 'object')} since ${since}${who}?`;
    const isSmall = steps.length <= UNASKED_MAX;
    if (flags.dryRun !== true && !(await confirm(io, question, flags.yes === true, isSmall))) {
      io.stderr.line('nothing was undone');
      return EXIT.failed;
    }
    const { resourceVersion, items } = await write(verbs, steps, flags.dryRun === true);
    for (const [i, step] of steps.entries()) {
      const lost = step.verb === 'create' ? notRestored(step.item.resource) : [];
      printWarnings(io, placedSubject(step), [...(items[i]?.warnings ?? []), ...lost]);
    }
    io.stdout.line(summary(steps, flags.dryRun === true ? ' (dry run)' : ` in revision ${resourceVersion}`));
    return EXIT.done;
  });
}

/** @throws UsageError */
function checkFlags({ since, to, output, labelSelector = [], force, user }: UndoSinceFlags): void {
  if (to !== undefined) throw new UsageError('--to and --since exclude each other');
  if (output !== undefined) throw new UsageError('--since prints a table; leave out -o');
  if (force === true && user === undefined)
    throw new UsageError('--force needs --user: without a user, the changes of all users are undone');
  checkNotEmpty('-l', labelSelector);
  if (user === '') throw new UsageError('--user is empty; leave it out to undo the changes of all users');
  readSince(since, Date.now());
}

async function readChoice(
  verbs: Verbs,
  { labelSelector, force = false }: UndoSinceFlags,
  args: readonly string[],
  scope: Scope,
): Promise<UndoChoice> {
  const labels = labelSelector && parseLabelSelector(labelSelector);
  if (args.length === 0) return { resource: undefined, names: [], labels, force };
  const { resource, names } = readTargets(await verbs.resources(args[0]), args, scope);
  if (names.some((one) => one.resource !== resource))
    throw new UsageError('undo --since takes objects of one resource');
  return { resource, names, labels, force };
}

/** @throws ServiceError with the object that was refused */
async function write(verbs: Verbs, steps: readonly UndoStep[], dryRun: boolean): Promise<BatchResult> {
  try {
    return await verbs.batch(
      steps.map(({ item }) => item),
      { dryRun, fieldValidation: 'Warn' },
    );
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'RequestEntityTooLarge')
      throw new ServiceError(
        error.code,
        `nothing was undone: ${error.message}; ${NARROW}`,
        {},
        { cause: error },
      );
    const at = failedItem(error);
    if (at === undefined) throw error;
    const step = steps[at];
    const subject = step === undefined ? '' : placedSubject(step);
    const lines = (error.details.causes ?? []).map(
      ({ field, message }) => `${withoutItem(field)} ${message}`,
    );
    const [firstLine = '', ...moreLines] =
      error.code === 'Invalid' && lines.length > 0 ? lines : [withoutItem(error.message)];
    throw inLines(
      [`nothing was undone: ${subject}: ${firstLine}`, ...moreLines],
      (message) => new ServiceError(error.code, message, {}, { cause: error }),
    );
  }
}

function withoutItem(text: string): string {
  return text.replace(/^items\[\d+\][:.] ?/, '');
}

function reportOwners({ steps }: UndoPlan, io: CliIo): void {
  const count = steps.filter(({ owners }) => owners.length > 0).length;
  if (count > 0) io.stderr.line(`${counted(count, 'object')} without the owners that are gone`);
}

const DONE = { delete: 'deleted', update: 'changed', create: 'created again' } as const;

function summary(steps: readonly UndoStep[], end: string): string {
  const parts = (['delete', 'update', 'create'] as const).flatMap((verb) => {
    const count = steps.filter((step) => step.verb === verb).length;
    return count === 0 ? [] : [`${count} ${DONE[verb]}`];
  });
  return `undone: ${parts.join(', ')}${end}`;
}
