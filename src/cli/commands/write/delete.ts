import { hasCode } from '../../../errors.js';
import type { PropagationPolicy } from '../../../model/owner-references.js';
import type { DeleteOptions, Verbs, WriteResult } from '../../../service/verbs.js';
import { EXIT } from '../../exit.js';
import { settledInOrder } from '../../concurrent.js';
import { confirm } from '../../input/confirm.js';
import { lastFirst } from '../../input/definitions.js';
import type { CliIo } from '../../io.js';
import { colorsFor } from '../../output/colors.js';
import { escapeControls } from '../../../lib/escape-controls.js';
import { getSubject } from '../../output/written.js';
import { Progress } from '../../output/progress.js';
import { Failures } from '../../results.js';
import { checkSelection, selectTargets } from '../../select.js';
import { openForChanging, withVerbs } from '../../session.js';
import type { Target } from '../../targets.js';
import { command } from '../../command.js';
import { choice, format, toggle, type CommandFlags } from '../../flags.js';
import { DRY_RUN, SELECTED_OBJECTS, SELECTION } from '../shared.js';

/** By the names in kubectl. */
const POLICIES = {
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
} as const satisfies Readonly<Record<string, PropagationPolicy>>;

const FLAGS = {
  ...SELECTION,
  ...DRY_RUN,
  ignoreNotFound: toggle('do not fail for missing objects'),
  forceFinalizers: toggle(
    'remove objects immediately despite their finalizers; the cleanup of the finalizers is skipped',
  ),
  yes: toggle('do not ask for confirmation before finalizers are skipped'),
  cascade: choice(
    '<how>',
    'objects owned by deleted ones: removed afterwards, removed first where they block, or kept',
    ['background', 'foreground', 'orphan'],
  ),
  output: format(['name'], 'print only names'),
};
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: SELECTED_OBJECTS,
  flags: FLAGS,
  examples: [
    'xsvc delete persons ada bert',
    'xsvc delete persons -l demo.example.com/team=blue --dry-run',
    'xsvc delete -f person.yaml',
    'xsvc delete persons ada --cascade foreground',
    'xsvc delete persons ada --force-finalizers --yes',
  ],
  run: remove,
});

async function remove(flags: Flags, io: CliIo, args: readonly string[]): Promise<number> {
  checkSelection('delete', args, flags);
  return withVerbs(openForChanging(flags, io), async (verbs) => {
    const failures = new Failures(io, flags);
    const victims = await selectTargets(verbs, args, flags, { io, failures });
    if (failures.count > 0) return failures.exitCode;
    if (victims.length === 0) io.stderr.line('no object matches');
    if (!(await isAllowed(victims, flags, io))) {
      io.stderr.line('nothing was deleted');
      return EXIT.failed;
    }
    // A selected object existed: the deletion of another one removed it.
    const isNamed = flags.filename !== undefined || args.length > 1 || args[0]?.includes('/') === true;
    const asked = isNamed ? flags : { ...flags, ignoreNotFound: true };
    for (const part of lastFirst(victims)) await removeAll(verbs, part, asked, { io, failures });
    return failures.exitCode;
  });
}

/** True when finalizers may be removed, if the flags ask for that. */
async function isAllowed(victims: readonly Target[], flags: Flags, io: CliIo): Promise<boolean> {
  if (flags.forceFinalizers !== true || flags.dryRun === true || victims.length === 0) return true;
  const [first] = victims;
  const what =
    first !== undefined && victims.length === 1
      ? getSubject(first.resource, first.name)
      : `${victims.length} objects`;
  const question = `Remove ${what} without waiting for finalizers? Their cleanup will be skipped.`;
  return confirm(io, question, flags.yes === true);
}

async function removeAll(
  verbs: Verbs,
  victims: readonly Target[],
  flags: Flags,
  { io, failures }: { readonly io: CliIo; readonly failures: Failures },
): Promise<void> {
  const options: DeleteOptions = {
    dryRun: flags.dryRun === true,
    forceFinalizers: flags.forceFinalizers === true,
    ...(flags.cascade !== undefined && { propagationPolicy: POLICIES[flags.cascade] }),
  };
  const colors = await colorsFor(io.stdout, io.env);
  const progress = new Progress(io.stderr, 'deleted', victims.length);
  const removeOne = ({ resource, name }: Target): Promise<WriteResult> =>
    verbs.delete(resource, name, options);
  let done = 0;
  const failed: { readonly name: string; readonly error: unknown }[] = [];
  let left = victims;
  let before = victims.length === 1 ? 1 : Infinity;
  while (left.length > 0) {
    const isLast = left.length === before;
    before = left.length;
    const kept: Target[] = [];
    for await (const [victim, result] of settledInOrder(left, removeOne)) {
      if (result.status === 'fulfilled') {
        const said = getOutcome(result.value, flags.forceFinalizers === true);
        const suffix = flags.dryRun === true ? ' (dry run)' : '';
        const what = flags.output === 'name' ? '' : ` ${colors.attention(said)}${suffix}`;
        io.stdout.paint(`${getSubject(victim.resource, victim.name)}${what}\n`);
      } else if (!isLast && hasCode(result.reason, 'Conflict')) {
        // Another victim may refer to it.
        kept.push(victim);
        continue;
      } else if (!(flags.ignoreNotFound === true && hasCode(result.reason, 'NotFound'))) {
        failed.push({ name: getSubject(victim.resource, victim.name), error: result.reason as unknown });
      }
      progress.show(++done);
    }
    left = kept;
  }
  progress.clear();
  await failures.addAlike(failed);
}

function getOutcome({ object }: WriteResult, forced: boolean): string {
  const { finalizers = [] } = object.metadata;
  if (forced || finalizers.length === 0) return 'deleted';
  return `marked for deletion, waiting for finalizers: ${finalizers.map(escapeControls).join(', ')}`;
}
