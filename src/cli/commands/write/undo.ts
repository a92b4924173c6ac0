import type { Command } from 'commander';
import type { WriteOptions } from '../../../service/verbs.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { printDiff } from '../../output/unified-diff.js';
import { getSubject, WritePrinter, writeOutputFlag, type WriteOutputFlags } from '../../output/written.js';
import { readUndoing, writeUndone, type Undoing } from '../../past/undo.js';
import { printWarnings } from '../../results.js';
import { openForChanging, withVerbs, type GlobalFlags } from '../../session.js';
import { readTarget, type Target } from '../../targets.js';
import { examples, type CommandContext } from '../shared.js';

interface Flags extends GlobalFlags, WriteOutputFlags {
  readonly to?: string;
}

export function define(command: Command, context: CommandContext): void {
  command
    .argument('<resource>', 'plural, singular, kind or short name')
    .argument('[name]', 'name of the object')
    .option('--to <revision>', 'restore the state at this revision; default: before the last change')
    .option('--dry-run', 'preview the changes without storing them')
    .addOption(writeOutputFlag())
    .action(async (resource: string, name: string | undefined, _flags: unknown, self: Command) => {
      context.exitCode = await undo([resource, name ?? []].flat(), self.optsWithGlobals<Flags>(), context.io);
    });
  command.addHelpText(
    'after',
    '\nWrites spec, labels and annotations of the earlier state as a new revision; status and finalizers stay. A deleted\n' +
      'object is created again, with a new uid. Undoing twice restores the first state. Exits with 4 when the object is\n' +
      'changed at the same time.',
  );
  examples(command, [
    'xsvc history persons ada',
    'xsvc undo persons ada --dry-run',
    'xsvc undo persons ada --to 42',
  ]);
}

async function undo(args: readonly string[], flags: Flags, io: CliIo): Promise<number> {
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
