import { splitFullName } from '../../../model/full-name.js';
import type { UndoneItem } from '../../../service/verbs.js';
import { EXIT, UsageError } from '../../exit.js';
import { confirm, UNASKED_MAX } from '../../input/confirm.js';
import type { CliIo } from '../../io.js';
import { NONE } from '../../output/columns.js';
import { counted } from '../../output/counted.js';
import { printTable } from '../../output/table.js';
import { getSubject } from '../../output/written.js';
import { notRestored } from '../../past/undo-step.js';
import { printWarnings } from '../../results.js';
import { openForChanging, withVerbs } from '../../session.js';

export interface UndoRevisionFlags {
  readonly revision: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly to?: string;
  readonly since?: string;
  readonly user?: string;
  readonly labelSelector?: readonly string[];
  readonly output?: string;
}

/** Takes a commit back, after a question. */
export async function undoRevision(
  flags: UndoRevisionFlags,
  io: CliIo,
  args: readonly string[],
): Promise<number> {
  checkFlags(flags, args);
  const { revision, force = false, dryRun = false } = flags;
  return withVerbs(openForChanging(flags, io), async (verbs) => {
    const planned = await verbs.undoCommit(revision, { force, dryRun: true });
    await printTable(io, planned.items.map(rowOf), ['NAMESPACE', 'VERB', 'OBJECT', 'NOTE']);
    if (dryRun) return EXIT.done;
    const question = `Undo the commit of revision ${revision}, which changes ${counted(planned.items.length, 'object')}?`;
    if (!(await confirm(io, question, flags.yes === true, planned.items.length <= UNASKED_MAX))) {
      io.stderr.line('nothing was undone');
      return EXIT.failed;
    }
    const { resourceVersion, items } = await verbs.undoCommit(revision, { force });
    for (const { verb, resource, name } of items)
      if (verb === 'create') printWarnings(io, getSubject(resource, name), notRestored(resource));
    io.stdout.line(`undone: ${counted(items.length, 'object')} in revision ${resourceVersion}`);
    return EXIT.done;
  });
}

/** @throws UsageError */
function checkFlags(flags: UndoRevisionFlags, args: readonly string[]): void {
  for (const flag of ['to', 'since', 'user'] as const)
    if (flags[flag] !== undefined) throw new UsageError(`--revision and --${flag} exclude each other`);
  if (flags.labelSelector !== undefined || args.length > 0)
    throw new UsageError('--revision undoes a whole commit; leave out objects and -l');
  if (flags.output !== undefined) throw new UsageError('--revision prints a table; leave out -o');
}

function rowOf({ verb, resource, name, isOverwritten }: UndoneItem): readonly string[] {
  const { namespace = NONE } = splitFullName(name);
  return [namespace, verb, getSubject(resource, name), isOverwritten ? 'overwrites later changes' : ''];
}
