import type { WriteOptions } from '../../../service/verbs.js';
import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { findScope } from '../../remote/namespaces.js';
import { printDiff } from '../../output/unified-diff.js';
import { getSubject, WritePrinter } from '../../output/written.js';
import { notRestored } from '../../past/undo-step.js';
import { readUndoing, writeUndone, type Undoing } from '../../past/undo.js';
import { printWarnings } from '../../results.js';
import { openForChanging, withVerbs } from '../../session.js';
import { readTarget, type Target } from '../../targets.js';
import { command } from '../../command.js';
import { text, toggle, type CommandFlags } from '../../flags.js';
import { ALL_NAMESPACES, DRY_RUN, SELECTED_OBJECTS, SELECTOR_FLAGS, WRITE_OUTPUT, YES } from '../shared.js';
import { undoRevision } from './undo-revision.js';
import { undoSince } from './undo-since.js';

const FLAGS = {
  to: text('<revision>', 'restore the state at this revision; default: before the last change'),
  revision: text('<revision>', 'undo all that the commit of this revision did, in one commit'),
  since: text('<time>', 'undo all changes since a time like 2026-01-31T08:00:00Z, or 1h for an hour ago'),
  user: text('<name>', 'with --since: only the changes of this user'),
  ...(SELECTOR_FLAGS.labelSelector && { labelSelector: SELECTOR_FLAGS.labelSelector }),
  ...ALL_NAMESPACES,
  force: toggle('with --revision, or --since and --user: undo also what was changed after'),
  ...YES,
  ...DRY_RUN,
  ...WRITE_OUTPUT,
};
export type UndoFlags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: SELECTED_OBJECTS,
  flags: FLAGS,
  notes: [
    'Writes spec, labels and annotations of the earlier state as a new revision; status and finalizers stay. A deleted',
    'object is created again, with a new uid. Migrations since then are applied to the state. Undoing twice restores',
    'the first state. Exits with 4 when the object is changed at the same time. With --since, all changes are undone in',
    'one commit of at most 10,000 objects, after a question: of a resource, of some of its objects, or of all models',
    'except those of the platform. With --revision, the whole commit is taken back: deleted objects come again with their',
    'uids, also those that were deleted because their owner or namespace was; later changes of its objects are refused.',
  ],
  examples: [
    'xsvc history persons ada',
    'xsvc undo persons ada --dry-run',
    'xsvc undo persons ada --to 42',
    'xsvc undo --revision 42',
    'xsvc undo --since 1h --user ci --dry-run',
    'xsvc undo persons --since 2026-01-31T08:00:00Z -l demo.example.com/team=red --yes',
  ],
  run: undo,
});

async function undo(flags: UndoFlags, io: CliIo, args: readonly string[]): Promise<number> {
  const { since, revision } = flags;
  if (revision !== undefined) return undoRevision({ ...flags, revision }, io, args);
  if (since !== undefined) return undoSince({ ...flags, since }, io, args);
  for (const flag of ['user', 'labelSelector', 'force'] as const)
    if (flags[flag] !== undefined)
      throw new UsageError(`${flag === 'labelSelector' ? '-l' : `--${flag}`} needs --since`);
  return undoOne(flags, io, args);
}

async function undoOne(flags: UndoFlags, io: CliIo, args: readonly string[]): Promise<number> {
  return withVerbs(openForChanging(flags, io), async (verbs) => {
    const target = readTarget(await verbs.resources(args[0]), args, await findScope(flags, io), 'undo');
    const printer = await WritePrinter.open(io, flags);
    const options: WriteOptions = { dryRun: flags.dryRun === true, fieldValidation: 'Warn' };
    const undoing = await readUndoing(verbs, target, flags.to);
    const { object, warnings } = await writeUndone(verbs, target, undoing, options);
    const { live } = undoing;
    if (flags.dryRun === true && flags.output === undefined)
      await printDiff(
        io,
        { title: `${formatTitle(target)} (live)`, object: live },
        { title: `${formatTitle(target)} (undone)`, object },
      );
    const changed = object.metadata.resourceVersion !== live?.metadata.resourceVersion;
    await printer.print(
      target.resource,
      object,
      formatUndone(undoing, changed),
      changed ? 'attention' : 'faint',
    );
    const lost = live === undefined ? notRestored(target.resource) : [];
    printWarnings(io, formatTitle(target), [...warnings, ...lost]);
    return EXIT.done;
  });
}

function formatTitle({ resource, name }: Target): string {
  return getSubject(resource, name);
}

function formatUndone({ live, state }: Undoing, changed: boolean): string {
  const { resourceVersion } = state.metadata;
  if (live === undefined) return `created again as of revision ${resourceVersion}`;
  return changed ? `undone to revision ${resourceVersion}` : `undone (no change)`;
}
