import { readRequests, type Reports, type RequestReport } from '../../../client/controllers.js';
import type { ExtensionObject } from '../../../model/object.js';
import { qualifiedPlural } from '../../../model/resource.js';
import type { Verbs } from '../../../service/verbs.js';
import { UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { findScope } from '../../remote/namespaces.js';
import { formatAge } from '../../../lib/time/age.js';
import { indented, nothingSaid, reportLines } from '../../output/controller-reports.js';
import { escapeControls } from '../../output/escape.js';
import { getSubject } from '../../output/written.js';
import { Failures } from '../../results.js';
import { findRemote } from '../../remote/remote.js';
import { openForReading, withVerbs } from '../../session.js';
import { readTargets, type Target } from '../../targets.js';
import { command } from '../../command.js';
import type { GlobalFlags } from '../../flags.js';
import { OBJECTS } from '../shared.js';

export const define = command({
  args: OBJECTS,
  examples: ['xsvc why packages libc6', 'xsvc why packages/libc6 --server http://127.0.0.1:8090'],
  run: why,
});

/** Prints for objects if they are being deleted, which finalizers remain, and the reports of their controllers. */
async function why(flags: GlobalFlags, io: CliIo, args: readonly string[]): Promise<number> {
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const { names } = readTargets(await verbs.resources(args[0]), args, await findScope(flags, io));
    if (names.length === 0) throw new UsageError('why needs names of objects');
    const failures = new Failures(io, flags);
    for (const target of names)
      await failures.attempt(async () => io.stdout.write(await report(verbs, target, flags, io)));
    return failures.exitCode;
  });
}

async function report(
  verbs: Verbs,
  { resource, name }: Target,
  flags: GlobalFlags,
  io: CliIo,
): Promise<string> {
  const object = await verbs.get(resource, name);
  const lines = [getSubject(resource, name), ...describeLife(object)];
  const remote = await findRemote(flags, io);
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
