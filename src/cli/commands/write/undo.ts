import type { WriteOptions } from '../../../service/verbs.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { printDiff } from '../../output/unified-diff.js';
import { getSubject, WritePrinter } from '../../output/written.js';
import { readUndoing, writeUndone, type Undoing } from '../../past/undo.js';
import { printWarnings } from '../../results.js';
import { openForChanging, withVerbs } from '../../session.js';
import { readTarget, type Target } from '../../targets.js';
import { command } from '../../command.js';
import { text, type CommandFlags } from '../../flags.js';
import { DRY_RUN, ONE_OBJECT, WRITE_OUTPUT } from '../shared.js';

const FLAGS = {
  to: text('<revision>', 'restore the state at this revision; default: before the last change'),
  ...DRY_RUN,
  ...WRITE_OUTPUT,
};

export const define = command({
  args: ONE_OBJECT,
  flags: FLAGS,
  notes: [
    'Writes spec, labels and annotations of the earlier state as a new revision; status and finalizers stay. A deleted',
    'object is created again, with a new uid. Undoing twice restores the first state. Exits with 4 when the object is',
    'changed at the same time.',
  ],
  examples: ['xsvc history persons ada', 'xsvc undo persons ada --dry-run', 'xsvc undo persons ada --to 42'],
  run: undo,
});

async function undo(flags: CommandFlags<typeof FLAGS>, io: CliIo, args: readonly string[]): Promise<number> {
  return withVerbs(openForChanging(flags, io), async (verbs) => {
    const target = readTarget(await verbs.resources(args[0]), args, 'undo');
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
    printWarnings(io, formatTitle(target), warnings);
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
