import { badRequest, getMessage, notFound } from '../../../errors.js';
import { parseDuration } from '../../../lib/time/duration.js';
import { splitFullName } from '../../../model/full-name.js';
import { versionKey, type Resource } from '../../../model/resource.js';
import type { Verbs } from '../../../service/verbs.js';
import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { shownName } from '../../remote/namespaces.js';
import { getSubject, WritePrinter } from '../../output/written.js';
import { Failures } from '../../results.js';
import { checkSelection, hasSelectors, selectTargets } from '../../select.js';
import { openForReading, withVerbs } from '../../session.js';
import type { Target } from '../../targets.js';
import { parseFor, type Awaited } from '../../wait/condition.js';
import { Waiter, type End } from '../../wait/waiter.js';
import { command } from '../../command.js';
import { required, text, withDefault, type CommandFlags } from '../../flags.js';
import { SELECTED_OBJECTS, SELECTION, WRITE_OUTPUT } from '../shared.js';

/** The duration for a negative timeout. */
const WEEK_MS = 7 * 86_400_000;

const FLAGS = {
  for: required(
    text('<what>', 'delete, create, condition=<type>[=<status>] or jsonpath=<expression>[=<value>]'),
  ),
  timeout: withDefault(
    text('<duration>', 'maximum time; 0 checks once, a negative value means a week'),
    '30s',
  ),
  ...SELECTION,
  ...WRITE_OUTPUT,
};
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: SELECTED_OBJECTS,
  flags: FLAGS,
  notes: [
    'Exits with 0 when the condition is met for all objects, with 1 after the timeout or when an object was deleted',
    'during the wait, with 3 when an object does not exist.',
  ],
  examples: [
    'xsvc wait persons ada --for=delete --timeout 1m',
    "xsvc wait packages --all --for=jsonpath='{.status.health}'",
    "xsvc wait plugins/person --for=jsonpath='{.status.phase}'=STARTED --timeout 10s",
    'xsvc wait persons ada --for=create',
  ],
  run: wait,
});

async function wait(flags: Flags, io: CliIo, args: readonly string[]): Promise<number> {
  checkSelection('wait', args, flags);
  const awaited = parseFor(flags.for);
  if (awaited.kind === 'create' && (flags.all === true || hasSelectors(flags)))
    throw new UsageError('--for=create needs names, because selectors match only existing objects');
  const timeoutMs = readTimeout(flags.timeout);
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const failures = new Failures(io, flags);
    const targets = await selectTargets(verbs, args, flags, { io, failures });
    if (failures.count > 0) return failures.exitCode;
    if (targets.length === 0) {
      if (awaited.kind === 'delete') return EXIT.done;
      throw notFound('no object matches, so there is nothing to wait for');
    }
    await waitForAll(verbs, targets, { awaited, timeoutMs, flags, io, failures });
    return failures.exitCode;
  });
}

interface Run {
  readonly awaited: Awaited;
  readonly timeoutMs: number;
  readonly flags: Flags;
  readonly io: CliIo;
  readonly failures: Failures;
}

async function waitForAll(verbs: Verbs, targets: readonly Target[], run: Run): Promise<void> {
  const { awaited, timeoutMs, flags, io, failures } = run;
  const printer = await WritePrinter.open(io, flags);
  const end = new AbortController();
  // The timer also keeps the process alive: waiting for commits of another process does not.
  const timer = setTimeout(() => end.abort(), timeoutMs);
  try {
    await Promise.all(
      byNamespace(targets).map(async ([resource, names]) => {
        const waiter = new Waiter(verbs, resource, awaited, names);
        for await (const ended of waiter.run(end.signal, timeoutMs === 0))
          await reportEnd(resource, ended, { printer, failures, io });
        for (const name of waiter.pending)
          await failures.add(
            new Error(`timed out waiting for the condition on ${getSubject(resource, name)}`),
          );
      }),
    );
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}

async function reportEnd(
  resource: Resource,
  end: End,
  { printer, failures, io }: { readonly printer: WritePrinter } & Pick<Run, 'failures' | 'io'>,
): Promise<void> {
  const subject = getSubject(resource, end.name);
  if (end.outcome === 'deleted') return failures.add(new Error(`${subject} was deleted during the wait`));
  if (end.outcome === 'missing') {
    const { group, kind } = resource;
    return failures.add(notFound(`${subject} not found`, { group, kind, name: shownName(end.name) }));
  }
  if (end.object !== undefined) return printer.print(resource, end.object, 'condition met', 'good');
  io.stdout.line(`${subject} condition met`);
}

/** The objects of each model and namespace. */
function byNamespace(targets: readonly Target[]): (readonly [Resource, readonly string[]])[] {
  const groups = new Map<string, [Resource, string[]]>();
  for (const { resource, name } of targets) {
    const key = `${versionKey(resource)} ${splitFullName(name).namespace ?? ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [resource, [name]]);
    else group[1].push(name);
  }
  return [...groups.values()];
}

/** @throws UsageError for an invalid duration */
function readTimeout(text: string): number {
  const isNegative = text.startsWith('-');
  try {
    const ms = parseDuration(isNegative ? text.slice(1) : text);
    if (ms > WEEK_MS) throw badRequest(`${text} is more than a week`);
    return isNegative ? WEEK_MS : ms;
  } catch (error) {
    throw new UsageError(`--timeout: ${getMessage(error)}`);
  }
}
