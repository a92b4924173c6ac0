import { InvalidArgumentError } from 'commander';
import { badRequest } from '../../../errors.js';
import type { Verbs, WriteOptions } from '../../../service/verbs.js';
import { OWN_MANAGER } from '../../../service/write/apply/field-managers.js';
import {
  applyAtOnce,
  applyEach,
  checkCommit,
  pruneEach,
  type Applied,
  type ApplyOutcome,
  type Pruned,
} from '../../apply/execute.js';
import { prepare } from '../../apply/prepare.js';
import { applyServerSide } from '../../apply/server-side.js';
import { checkAllowlist, checkPruneFlags, findPrunable, formatSkipped, PRUNE } from '../../apply/prune.js';
import { Unchecked } from '../../apply/unchecked.js';
import { earlyAndLate } from '../../input/definitions.js';
import { readManifests, type Manifest } from '../../input/manifests.js';
import type { CliIo } from '../../io.js';
import { findScope } from '../../remote/namespaces.js';
import { Progress } from '../../output/progress.js';
import { getSubject, WritePrinter } from '../../output/written.js';
import { atPlace, Failures, printWarnings } from '../../results.js';
import { openForWriting, withVerbs } from '../../session.js';
import type { Target } from '../../targets.js';
import { command } from '../../command.js';
import { UsageError } from '../../exit.js';
import { parsed, text, toggle, type CommandFlags } from '../../flags.js';
import { DRY_RUN, INPUT, requiredFiles, VALIDATE, VALIDATIONS, WRITE_OUTPUT } from '../shared.js';

const FLAGS = {
  ...INPUT,
  atomic: parsed(
    '[boolean]',
    'all in one commit or none (default: true); at most 10,000 objects, and 64 MiB',
    booleanFrom,
    'write the objects one by one, and continue after a failure',
  ),
  ...PRUNE,
  serverSide: toggle('let the service merge the files, and keep who owns which fields'),
  fieldManager: text('<name>', 'with --server-side, the owner of the fields in the files (default: xsvc)'),
  forceConflicts: toggle(
    'write even if a file names another metadata.version or resourceVersion than the stored one, and with ' +
      '--server-side take fields from other managers; otherwise both are conflicts (exit code 4)',
  ),
  ...DRY_RUN,
  ...VALIDATE,
  ...WRITE_OUTPUT,
};
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  flags: FLAGS,
  examples: [
    'xsvc apply -f person.yaml',
    'xsvc apply -R -f manifests/ --dry-run',
    "xsvc apply -f 'people/**/*.yaml' --validate=warn",
    'xsvc apply --server-side --field-manager deploy -f person.yaml',
    'xsvc apply -R -f site/ --prune -l site=main --owner main-site',
    'cat person.yaml | xsvc apply -f - --server http://127.0.0.1:8090',
  ],
  run: apply,
});

function booleanFrom(value: string): boolean {
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new InvalidArgumentError('It must be true or false.');
}

async function apply(flags: Flags, io: CliIo): Promise<number> {
  const filename = requiredFiles('apply', flags.filename);
  checkPruneFlags('apply', flags);
  checkServerSide(flags);
  const { serverSide = false, atomic = !serverSide } = flags;
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const failures = new Failures(io, flags);
    const resources = await verbs.resources();
    checkAllowlist(resources, flags);
    const scope = await findScope(flags, io);
    const input = await readManifests(io, { ...flags, filename }, { resources, scope });
    const manifests = input.manifests.map(prepare(flags));
    const run = { flags, io, atomic, failures, unchecked: new Unchecked(resources) };
    for (const problem of input.problems) await failures.add(problem);
    if (failures.count > 0) {
      await reportRest(verbs, manifests, run);
      io.stderr.line(`nothing was written: ${failures.count} of the manifests are invalid`);
      return failures.exitCode;
    }
    if (manifests.length === 0) throw badRequest('the files contain no manifest');
    if (atomic) checkCommit(manifests);
    await writeAll(verbs, manifests, run);
    return failures.exitCode;
  });
}

/** @throws UsageError for flags that exclude each other */
function checkServerSide({ serverSide, fieldManager, atomic, prune }: Flags): void {
  if (serverSide !== true) {
    if (fieldManager !== undefined) throw new UsageError('--field-manager needs --server-side');
    return;
  }
  if (fieldManager === '') throw new UsageError('--field-manager: the name must not be empty');
  if (prune === true)
    throw new UsageError('--prune and --server-side exclude each other; leave one of them out');
  if (atomic === true)
    throw new UsageError('--atomic and --server-side exclude each other: each object is applied on its own');
}

/** Reports the remaining errors next to unusable manifests, so that people can fix all at once. */
async function reportRest(verbs: Verbs, manifests: readonly Manifest[], run: Run): Promise<void> {
  const { flags, io, atomic, failures, unchecked } = run;
  const checked = unchecked.select(manifests, io);
  const options = { fieldValidation: VALIDATIONS[flags.validate], dryRun: true };
  const outcomes = atomic ? await applyAtOnce(verbs, checked, options) : applyEach(verbs, checked, options);
  for await (const outcome of outcomes) if ('error' in outcome) await failures.add(errorAtPlace(outcome));
}

interface Run {
  readonly flags: Flags;
  readonly io: CliIo;
  readonly atomic: boolean;
  readonly failures: Failures;
  readonly unchecked: Unchecked;
}

async function writeAll(verbs: Verbs, manifests: readonly Manifest[], run: Run): Promise<void> {
  const { flags, io, atomic, failures, unchecked } = run;
  const options: WriteOptions = {
    fieldValidation: VALIDATIONS[flags.validate],
    ...(flags.dryRun === true ? { dryRun: true } : {}),
  };
  const printer = await WritePrinter.open(io, flags);
  const progress = new Progress(io.stderr, 'applied', manifests.length);
  let done = 0;
  const report = async (outcomes: AsyncIterable<ApplyOutcome> | Iterable<ApplyOutcome>): Promise<void> => {
    for await (const outcome of outcomes) {
      progress.show((done += 1));
      if (!('error' in outcome)) {
        if (outcome.verb !== 'pruned') unchecked.note(outcome.manifest, outcome.verb);
        await printDone(io, printer, outcome);
        continue;
      }
      progress.clear();
      await failures.add(errorAtPlace(outcome));
    }
  };
  const [early, late] = earlyAndLate(manifests);
  if (flags.serverSide === true) {
    const { fieldManager = OWN_MANAGER, forceConflicts } = flags;
    const written = flags.dryRun === true ? unchecked.select([...early, ...late], io) : [...early, ...late];
    await report(applyServerSide(verbs, written, { ...options, fieldManager, forceConflicts }));
    progress.clear();
    return;
  }
  try {
    // The others may need them.
    if (early.length > 0)
      await report(atomic ? await applyAtOnce(verbs, early, options) : applyEach(verbs, early, options));
    if (failures.count > 0) {
      const rest = done > failures.count ? 'nothing else' : 'nothing';
      io.stderr.line(`${rest} was written: namespaces and definitions are written first`);
      return;
    }
    const checked = flags.dryRun === true ? unchecked.select(late, io) : late;
    const outcomes = atomic
      ? await applyAtOnce(verbs, checked, options, prunesFor(verbs, manifests, run))
      : oneAfterAnother(verbs, checked, { options, run, manifests });
    await report(outcomes);
  } finally {
    progress.clear();
  }
  if (atomic && failures.count > 0)
    io.stderr.line(
      `nothing ${early.length > 0 ? 'else ' : ''}was written: all objects are written in one commit`,
    );
}

interface Each {
  readonly options: WriteOptions;
  readonly run: Run;
  /** All that the files state. */
  readonly manifests: readonly Manifest[];
}

async function* oneAfterAnother(
  verbs: Verbs,
  written: readonly Manifest[],
  { options, run, manifests }: Each,
): AsyncGenerator<ApplyOutcome> {
  yield* applyEach(verbs, written, options);
  if (run.flags.prune !== true) return;
  // An object is kept while the file that should have replaced it cannot be applied.
  if (run.failures.count > 0)
    run.io.stderr.line('nothing was pruned: some of the files could not be applied');
  else yield* pruneEach(verbs, await prunesFor(verbs, manifests, run)(), options);
}

/** Finds the objects to be pruned, and prints them before any write. */
function prunesFor(
  verbs: Verbs,
  manifests: readonly Manifest[],
  { flags, io }: Run,
): () => Promise<readonly Target[]> {
  const shown = new Set<string>();
  const show = (line: string): void => {
    if (!shown.has(line)) io.stderr.line(line);
    shown.add(line);
  };
  return async () => {
    if (flags.prune !== true) return [];
    const found = await findPrunable(verbs, manifests, flags);
    const skipped = formatSkipped(found);
    if (skipped !== undefined) show(skipped);
    for (const { resource, name } of found.objects) show(`to be pruned: ${getSubject(resource, name)}`);
    return found.objects;
  };
}

const MOODS = { created: 'good', configured: 'attention', unchanged: 'faint', pruned: 'bad' } as const;

async function printDone(io: CliIo, printer: WritePrinter, outcome: Applied | Pruned): Promise<void> {
  const { verb, object } = outcome;
  const { resource, name } = outcome.verb === 'pruned' ? outcome.target : outcome.manifest;
  await printer.print(resource, object, verb, MOODS[verb]);
  const subject = getSubject(resource, name);
  if (outcome.verb !== 'pruned') {
    printWarnings(io, subject, outcome.warnings);
    return;
  }
  const { finalizers = [] } = object.metadata;
  if (finalizers.length > 0) io.stderr.line(`${subject} stays until its finalizers are removed`);
}

function errorAtPlace(outcome: Extract<ApplyOutcome, { error: unknown }>): unknown {
  const { error } = outcome;
  if ('manifest' in outcome)
    return atPlace(
      error,
      outcome.manifest.place,
      getSubject(outcome.manifest.resource, outcome.manifest.name),
    );
  const subject = getSubject(outcome.target.resource, outcome.target.name);
  return atPlace(error, () => 'pruning', subject);
}
