import type { Command } from 'commander';
import { ServiceError } from '../../errors.js';
import { resolveResource } from '../../model/resolve-resource.js';
import type { Resource } from '../../model/resource.js';
import type { DeleteOptions, Verbs, WriteResult } from '../../service/verbs.js';
import { EXIT, UsageError } from '../exit.js';
import { confirm } from '../input/confirm.js';
import { readManifests, type InputFlags } from '../input/manifests.js';
import type { CliIo } from '../io.js';
import { colorsFor } from '../output/colors.js';
import { escapeControls } from '../output/escape.js';
import { Progress } from '../output/progress.js';
import { Failures } from '../results.js';
import { openForWriting, withVerbs, type GlobalFlags } from '../session.js';
import { readTargets } from '../targets.js';
import { examples, inputFlags, selectorFlags, type CommandContext, type SelectorFlags } from './shared.js';

interface Flags extends GlobalFlags, SelectorFlags, Partial<InputFlags> {
  readonly dryRun?: boolean;
  readonly ignoreNotFound?: boolean;
  readonly forceFinalizers?: boolean;
  readonly yes?: boolean;
}

interface Victim {
  readonly resource: Resource;
  readonly name: string;
}

/** Deletes under way at once: commits that run together share the wait for the disk. */
const CONCURRENT_MAX = 64;

export function define(command: Command, context: CommandContext): void {
  command
    .argument('[resource]', 'plural, singular, kind or short name')
    .argument('[names...]', 'names of objects');
  inputFlags(command);
  selectorFlags(command);
  command
    .option('--dry-run', 'only say what would happen')
    .option('--ignore-not-found', 'an object that is gone already is no failure')
    .option(
      '--force-finalizers',
      'remove objects at once, whatever finalizers hold them; what those stand for is then never done',
    )
    .option('--yes', 'do not ask before finalizers are overruled')
    .action(
      async (resource: string | undefined, names: readonly string[], _flags: unknown, self: Command) => {
        const args = resource === undefined ? [] : [resource, ...names];
        context.exitCode = await remove(args, self.optsWithGlobals<Flags>(), context.io);
      },
    );
  examples(command, [
    'xsvc delete persons ann bob',
    'xsvc delete persons -l team=blue --dry-run',
    'xsvc delete -f person.yaml',
    'xsvc delete persons ann --force-finalizers --yes',
  ]);
}

async function remove(args: readonly string[], flags: Flags, io: CliIo): Promise<number> {
  checkUsage(args, flags);
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const failures = new Failures(io, flags.verbose === true);
    const victims = await victimsOf(verbs, args, flags, io, failures);
    if (failures.count > 0) return failures.exitCode;
    if (victims.length === 0) io.stderr.write('nothing matches\n');
    if (!(await isAllowed(victims, flags, io))) {
      io.stderr.write('nothing was deleted\n');
      return EXIT.failed;
    }
    await removeAll(verbs, victims, flags, io, failures);
    return failures.exitCode;
  });
}

/** Whether finalizers may be overruled, when that is asked for. */
async function isAllowed(victims: readonly Victim[], flags: Flags, io: CliIo): Promise<boolean> {
  if (flags.forceFinalizers !== true || flags.dryRun === true || victims.length === 0) return true;
  const [first] = victims;
  const what =
    first !== undefined && victims.length === 1
      ? `${first.resource.plural}/${escapeControls(first.name)}`
      : `${victims.length} objects`;
  const question = `Remove ${what} without waiting for finalizers? What those stand for will not be done.`;
  return confirm(io, question, flags.yes === true);
}

/** Deleting everything of a model must be asked for; it must not be what a forgotten name means. */
function checkUsage(args: readonly string[], { filename, selector = [], fieldSelector = [] }: Flags): void {
  const selects = selector.length + fieldSelector.length > 0;
  if (filename !== undefined) {
    if (args.length > 0 || selects) throw new UsageError('-f excludes names and selectors');
    return;
  }
  const [resource, ...names] = args;
  if (resource === undefined) throw new UsageError('delete needs a resource with names or a selector, or -f');
  const isNamed = names.length > 0 || resource.includes('/');
  if (isNamed && selects) throw new UsageError('names and selectors exclude each other');
  if (!isNamed && !selects)
    throw new UsageError('delete needs names, a selector (-l, --field-selector), or -f');
}

async function victimsOf(
  verbs: Verbs,
  args: readonly string[],
  flags: Flags,
  io: CliIo,
  failures: Failures,
): Promise<readonly Victim[]> {
  const resources = await verbs.resources();
  const { filename, selector, fieldSelector } = flags;
  if (filename !== undefined) {
    const { manifests, problems } = await readManifests(io, { ...flags, filename }, resources);
    for (const problem of problems) await failures.add(problem);
    return manifests;
  }
  const targets = readTargets(resources, args);
  if (targets.names.length > 0) return targets.names;
  const resource = resolveResource(resources, args[0] ?? '');
  const options = {
    ...(selector === undefined ? {} : { labelSelector: selector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
  const victims: Victim[] = [];
  for await (const { metadata } of verbs.listAll(resource, options))
    victims.push({ resource, name: metadata.name });
  return victims;
}

async function removeAll(
  verbs: Verbs,
  victims: readonly Victim[],
  flags: Flags,
  io: CliIo,
  failures: Failures,
): Promise<void> {
  const options: DeleteOptions = {
    dryRun: flags.dryRun === true,
    forceFinalizers: flags.forceFinalizers === true,
  };
  const colors = await colorsFor(io.stdout, io.env);
  const progress = new Progress(io.stderr, 'deleted', victims.length);
  for (let at = 0; at < victims.length; at += CONCURRENT_MAX) {
    const chunk = victims.slice(at, at + CONCURRENT_MAX);
    const results = await Promise.allSettled(
      chunk.map(({ resource, name }) => verbs.delete(resource, name, options)),
    );
    for (const [i, result] of results.entries()) {
      const victim = chunk[i];
      if (victim === undefined) continue;
      progress.show(at + i + 1);
      if (result.status === 'fulfilled') {
        const said = outcomeOf(result.value, flags.forceFinalizers === true);
        const suffix = flags.dryRun === true ? ' (dry run)' : '';
        io.stdout.write(
          `${victim.resource.plural}/${escapeControls(victim.name)} ${colors.attention(said)}${suffix}\n`,
        );
      } else if (!(flags.ignoreNotFound === true && isNotFound(result.reason))) {
        progress.clear();
        await failures.add(result.reason);
      }
    }
  }
  progress.clear();
}

function outcomeOf({ object }: WriteResult, forced: boolean): string {
  const { finalizers = [] } = object.metadata;
  if (forced || finalizers.length === 0) return 'deleted';
  return `marked for deletion, waiting for finalizers: ${finalizers.map(escapeControls).join(', ')}`;
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'NotFound';
}
