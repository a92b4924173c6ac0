import type { Command } from 'commander';
import { readRequests, type Reports, type RequestReport } from '../../../client/controllers.js';
import type { ExtensionObject } from '../../../model/object.js';
import { qualifiedPlural } from '../../../model/resource.js';
import type { Verbs } from '../../../service/verbs.js';
import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { formatAge } from '../../../lib/time/age.js';
import { indented, nothingSaid, reportLines } from '../../output/controller-reports.js';
import { escapeControls } from '../../output/escape.js';
import { Failures } from '../../results.js';
import { openForReading, findRemote, withVerbs, type GlobalFlags } from '../../session.js';
import { readTargets, type Target } from '../../targets.js';
import { examples, type CommandContext } from '../shared.js';

export function define(command: Command, context: CommandContext): void {
  command
    .argument('<resource>', 'plural, singular, kind or short name')
    .argument('[names...]', 'names of objects')
    .action(async (resource: string, names: readonly string[], _flags: unknown, self: Command) => {
      context.exitCode = await why([resource, ...names], self.optsWithGlobals<GlobalFlags>(), context.io);
    });
  examples(command, ['xsvc why packages libc6', 'xsvc why packages/libc6 --server http://127.0.0.1:8090']);
}

/** Prints for objects if they are being deleted, which finalizers remain, and the reports of their controllers. */
export async function why(args: readonly string[], flags: GlobalFlags, io: CliIo): Promise<number> {
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const { names } = readTargets(await verbs.resources(args[0]), args);
    if (names.length === 0) throw new UsageError('why needs names of objects');
    const failures = new Failures(io, flags.verbose === true);
    for (const target of names) {
      try {
        io.stdout.write(await report(verbs, target, flags, io));
      } catch (error) {
        await failures.add(error);
      }
    }
    return failures.count === 0 ? EXIT.done : failures.exitCode;
  });
}

async function report(
  verbs: Verbs,
  { resource, name }: Target,
  flags: GlobalFlags,
  io: CliIo,
): Promise<string> {
  const object = await verbs.get(resource, name);
  const lines = [`${resource.plural}/${escapeControls(name)}`, ...describeLife(object)];
  const remote = findRemote(flags, io.env);
  if (remote === undefined) {
    lines.push('  controllers: only known to a daemon; use --server');
  } else {
    const about = await readRequests(remote.url, qualifiedPlural(resource), name, remote);
    lines.push(...controllerLines(about));
  }
  return `${lines.join('\n')}\n`;
}

function describeLife({ metadata }: ExtensionObject): string[] {
  const { deletionTimestamp, finalizers = [] } = metadata;
  const finalizerLines = finalizers.map((finalizer) => `    ${escapeControls(finalizer)}`);
  if (deletionTimestamp === undefined) {
    const active = '  is not being deleted';
    return finalizerLines.length === 0
      ? [active]
      : [active, '  these finalizers would block a deletion:', ...finalizerLines];
  }
  const since = `  being deleted for ${formatAge(deletionTimestamp, Date.now())} (since ${deletionTimestamp})`;
  return [since, '  blocked by these finalizers:', ...finalizerLines];
}

function controllerLines(reports: Reports<RequestReport>): string[] {
  const nothing = nothingSaid(reports);
  if (nothing !== undefined) return [`  controllers: ${nothing}`];
  return ['  controllers:', ...indented(reportLines(reports.items), '    ')];
}
