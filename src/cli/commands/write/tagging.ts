import { conflict } from '../../../errors.js';
import { isConflict, retryOnConflict } from '../../../lib/work/retry.js';
import type { ExtensionObject } from '../../../model/object.js';
import type { Verbs, WriteOptions } from '../../../service/verbs.js';
import { settledInOrder } from '../../concurrent.js';
import { UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { getSubject, WritePrinter, type WriteOutputFlags } from '../../output/written.js';
import { Failures, printWarnings } from '../../results.js';
import { checkSelection, selectTargets } from '../../select.js';
import { openForReading, openForChanging, withVerbs } from '../../session.js';
import type { Target } from '../../targets.js';
import { command, type Define } from '../../command.js';
import { text, toggle, type GlobalFlags } from '../../flags.js';
import { DRY_RUN, SELECTED_OBJECTS, SELECTION, type SelectionFlags, WRITE_OUTPUT } from '../shared.js';

/** The differences between labels and annotations, which are set in the same way. */
export interface Tagging {
  readonly command: 'label' | 'annotate';
  readonly field: 'labels' | 'annotations';
  /** The noun for one of them. */
  readonly noun: string;
  /** The noun with its article. */
  readonly aNoun: string;
  /** The words for an object that got some, lost some, and neither. */
  readonly said: { readonly set: string; readonly removed: string; readonly same: string };
}

interface Flags extends GlobalFlags, SelectionFlags, WriteOutputFlags {
  readonly overwrite?: boolean;
  readonly list?: boolean;
  readonly resourceVersion?: string;
}

/** The changes of a command line: new values by key, and keys to remove. */
interface Changes {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: ReadonlySet<string>;
}

interface Request {
  readonly changes: Changes;
  readonly flags: Flags;
  readonly tagging: Tagging;
}

/** Defines `label` or `annotate`. */
export function taggingCommand(tagging: Tagging, examples: readonly string[]): Define {
  const { field, aNoun } = tagging;
  const flags = {
    overwrite: toggle(`replace the value of ${aNoun} that exists`),
    list: toggle(`print the ${field} after the changes`),
    resourceVersion: text('<revision>', 'change the object only at this revision'),
    ...SELECTION,
    ...DRY_RUN,
    ...WRITE_OUTPUT,
  };
  return command({
    args: {
      ...SELECTED_OBJECTS,
      '[names...]': `names of objects, then <key>=<value> to set ${aNoun}, <key>- to remove`,
    },
    flags,
    examples,
    run: (given, io, args) => tag(args, given, io, tagging),
  });
}

async function tag(args: readonly string[], flags: Flags, io: CliIo, tagging: Tagging): Promise<number> {
  const { objects, changes } = readArguments(args, tagging, flags);
  checkSelection(tagging.command, objects, flags);
  const changesNothing = changes.set.size + changes.remove.size === 0;
  const opening = changesNothing ? openForReading(flags, io) : openForChanging(flags, io);
  return withVerbs(opening, async (verbs) => {
    const failures = new Failures(io, flags);
    const targets = await selectTargets(verbs, objects, flags, { io, failures });
    if (failures.count > 0) return failures.exitCode;
    if (targets.length === 0) io.stderr.line('no object matches');
    if (flags.resourceVersion !== undefined && targets.length > 1)
      throw new UsageError('--resource-version needs exactly one object');
    const printer = await WritePrinter.open(io, flags);
    const isListing = flags.list === true;
    const work = (target: Target): Promise<Tagged> => change(verbs, target, { changes, flags, tagging });
    for await (const [{ resource }, result] of settledInOrder(targets, work)) {
      if (result.status === 'rejected') {
        await failures.add(result.reason);
        continue;
      }
      const { object, said, missing, warnings } = result.value;
      const subject = getSubject(resource, object.metadata.name);
      for (const key of missing) io.stderr.line(`${subject} has no ${tagging.noun} ${key}`);
      const title = targets.length > 1 ? subject : undefined;
      if (isListing) for (const line of getList(object, tagging, title)) io.stdout.line(line);
      else await printer.print(resource, object, said, said === tagging.said.same ? 'faint' : 'attention');
      printWarnings(io, subject, warnings);
    }
    return failures.exitCode;
  });
}

/** The result for one object. */
interface Tagged {
  readonly object: ExtensionObject;
  readonly said: string;
  /** Keys to remove that did not exist. */
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
}

async function change(verbs: Verbs, { resource, name }: Target, request: Request): Promise<Tagged> {
  const { changes, flags, tagging } = request;
  const read = async (): Promise<{ object: ExtensionObject; wanted: Record<string, string | null> }> => {
    const object = await verbs.get(resource, name);
    return { object, wanted: differences(object, request, getSubject(resource, name)) };
  };
  let now = await read();
  const attempt = async (): Promise<Tagged> => {
    const { object, wanted } = now;
    const missing = [...changes.remove].filter((key) => !Object.hasOwn(getTags(object, tagging), key));
    if (Object.keys(wanted).length === 0) return { object, said: tagging.said.same, missing, warnings: [] };
    const resourceVersion = flags.resourceVersion ?? object.metadata.resourceVersion;
    const metadata = { resourceVersion, [tagging.field]: wanted };
    // This write does not concern fields that no schema declares.
    const options: WriteOptions = { fieldValidation: 'Ignore', dryRun: flags.dryRun === true };
    const { object: written, warnings } = await verbs.patch(resource, name, { metadata }, 'merge', options);
    const removes = Object.values(wanted).every((value) => value === null);
    return { object: written, said: removes ? tagging.said.removed : tagging.said.set, missing, warnings };
  };
  return retryOnConflict(attempt, async (error) => {
    if (flags.resourceVersion !== undefined || !isConflict(error)) return false;
    now = await read();
    return true;
  });
}

/** The merge patch of the labels or annotations. @throws ServiceError `Conflict` for existing values */
function differences(
  object: ExtensionObject,
  { changes: { set, remove }, flags, tagging }: Request,
  subject: string,
): Record<string, string | null> {
  const now = getTags(object, tagging);
  const patch: Record<string, string | null> = {};
  const taken: string[] = [];
  for (const [key, value] of set) {
    const current = Object.hasOwn(now, key) ? now[key] : undefined;
    if (current === value) continue;
    if (current !== undefined && flags.overwrite !== true) taken.push(`${key} is already "${current}"`);
    patch[key] = value;
  }
  for (const key of remove) if (Object.hasOwn(now, key)) patch[key] = null;
  if (taken.length > 0)
    throw conflict(`${subject}: the ${tagging.noun} ${taken.join(', ')}; use --overwrite to replace it`);
  return patch;
}

function getTags({ metadata }: ExtensionObject, { field }: Tagging): Readonly<Record<string, string>> {
  return metadata[field] ?? {};
}

function getList(object: ExtensionObject, tagging: Tagging, title: string | undefined): string[] {
  const tags = getTags(object, tagging);
  const lines = Object.keys(tags)
    .sort()
    .map((key) => `${key}=${tags[key] ?? ''}`);
  return title === undefined ? lines : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

/** Separates names from changes: a name has no `=` and no `-` at its end. */
function readArguments(
  args: readonly string[],
  { command, noun, aNoun }: Tagging,
  { list = false }: Flags,
): { readonly objects: readonly string[]; readonly changes: Changes } {
  const isChange = (arg: string): boolean => arg.includes('=') || arg.endsWith('-');
  const first = args.findIndex(isChange);
  const objects = first < 0 ? args : args.slice(0, first);
  const set = new Map<string, string>();
  const remove = new Set<string>();
  for (const arg of first < 0 ? [] : args.slice(first)) {
    if (!isChange(arg)) throw new UsageError(`"${arg}": put names before the changes`);
    const equals = arg.indexOf('=');
    const key = equals < 0 ? arg.slice(0, -1) : arg.slice(0, equals);
    if (key === '') throw new UsageError(`"${arg}" has no key; write <key>=<value>, or <key>- to remove`);
    if (set.has(key) || remove.has(key)) throw new UsageError(`the ${noun} ${key} is named twice`);
    if (equals < 0) remove.add(key);
    else set.set(key, arg.slice(equals + 1));
  }
  if (set.size + remove.size === 0 && !list)
    throw new UsageError(`${command} needs <key>=<value> to set ${aNoun}, or <key>- to remove it`);
  return { objects, changes: { set, remove } };
}
