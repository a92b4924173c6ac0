import { badRequest } from '../../../errors.js';
import { applyEach, type Applied } from '../../apply/execute.js';
import { Unchecked } from '../../apply/unchecked.js';
import { prepare } from '../../apply/prepare.js';
import { checkAllowlist, checkPruneFlags, findPrunable, formatSkipped, PRUNE } from '../../apply/prune.js';
import type { ExtensionObject } from '../../../model/object.js';
import { EXIT, UsageError } from '../../exit.js';
import { earlyAndLate } from '../../input/definitions.js';
import { readManifests, type Manifest } from '../../input/manifests.js';
import type { CliIo } from '../../io.js';
import { findScope } from '../../remote/namespaces.js';
import { printDiff, type Side } from '../../output/unified-diff.js';
import { getSubject } from '../../output/written.js';
import { atPlace, Failures, printWarnings } from '../../results.js';
import { getAtMoment, MOMENT } from '../../../service/read/moment.js';
import { readMoment } from '../../past/moment.js';
import type { Verbs } from '../../../service/verbs.js';
import { openForChanging, openForReading, withVerbs } from '../../session.js';
import { readTarget } from '../../targets.js';
import { command } from '../../command.js';
import { text, toggle, type CommandFlags } from '../../flags.js';
import { INPUT, requiredFiles, VALIDATE, VALIDATIONS } from '../shared.js';

const FLAGS = {
  ...INPUT,
  ...PRUNE,
  from: text('<moment>', `the state of an object at this moment: ${MOMENT}`),
  to: text('<moment>', 'the moment to compare with; default: now'),
  ...VALIDATE,
  forceConflicts: toggle('compare with the stored objects even if a file names another version'),
};
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: {
    '[resource]': 'with --from: plural, singular, kind or short name',
    '[name]': 'with --from: name of an object',
  },
  flags: FLAGS,
  notes: [
    'Prints the changes that apply would make, as a unified diff of YAML. Exits with 0 without changes, with 10 with',
    'changes, and with the code of the failure when some files cannot be applied. With --from it compares the states of',
    'an object at two moments.',
  ],
  examples: [
    'xsvc diff -f person.yaml',
    'xsvc diff -R -f manifests/ --server http://127.0.0.1:8090',
    'xsvc diff -R -f site/ --prune -l site=main --owner main-site',
    'xsvc diff -f site.yaml || [ $? -eq 10 ]',
    'xsvc diff persons ada --from 40 --to 42',
    'xsvc diff persons ada --from 1h',
  ],
  run: (flags, io, args) => {
    const isPast = args.length > 0 || flags.from !== undefined || flags.to !== undefined;
    return isPast ? diffPast(args, flags, io) : diff(flags, io);
  },
});

async function diff(flags: Flags, io: CliIo): Promise<number> {
  const filename = requiredFiles('diff', flags.filename);
  checkPruneFlags('diff', flags);
  return withVerbs(openForChanging(flags, io), async (verbs) => {
    const failures = new Failures(io, flags);
    const resources = await verbs.resources();
    checkAllowlist(resources, flags);
    const input = await readManifests(
      io,
      { ...flags, filename },
      {
        resources,
        scope: await findScope(flags, io),
      },
    );
    for (const problem of input.problems) await failures.add(problem);
    if (failures.count > 0) return failures.exitCode;
    if (input.manifests.length === 0) throw badRequest('the files contain no manifest');
    const manifests = input.manifests.map(prepare(flags));
    const options = { dryRun: true, fieldValidation: VALIDATIONS[flags.validate] };
    const unchecked = new Unchecked(resources);
    let differs = false;
    for (const part of earlyAndLate(manifests)) {
      const checked = unchecked.select(part, io);
      differs ||= checked.length < part.length;
      for await (const outcome of applyEach(verbs, checked, options)) {
        if (!('manifest' in outcome)) continue;
        if ('error' in outcome) {
          const { resource, name, place } = outcome.manifest;
          await failures.add(atPlace(outcome.error, place, getSubject(resource, name)));
          continue;
        }
        unchecked.note(outcome.manifest, outcome.verb);
        const isDifferent = await printDifference(io, outcome);
        differs ||= isDifferent;
      }
    }
    if (failures.count > 0) return failures.exitCode;
    if (flags.prune === true && (await printPruned(io, verbs, manifests, flags))) differs = true;
    return differs ? EXIT.differs : EXIT.done;
  });
}

/** Prints the objects that apply --prune would delete. @returns true when there are some */
async function printPruned(
  io: CliIo,
  verbs: Verbs,
  manifests: readonly Manifest[],
  flags: Flags,
): Promise<boolean> {
  const found = await findPrunable(verbs, manifests, flags);
  const skipped = formatSkipped(found);
  if (skipped !== undefined) io.stderr.line(skipped);
  for (const { resource, name, object } of found.objects) {
    const title = `${getSubject(resource, name)} (live)`;
    await printDiff(io, { title, object }, { title, object: undefined });
  }
  return found.objects.length > 0;
}

/** Compares an object at one moment with its state at another, or now. */
async function diffPast(args: readonly string[], flags: Flags, io: CliIo): Promise<number> {
  if (flags.filename !== undefined)
    throw new UsageError('diff compares either files or, with --from, two moments');
  if (flags.prune === true) throw new UsageError('--prune needs -f with the files');
  if (flags.from === undefined)
    throw new UsageError(
      'use -f to compare files, or --from with a revision or a time to compare two states of an object',
    );
  const now = Date.now();
  const from = readMoment('--from', flags.from, now);
  const to = flags.to === undefined ? undefined : readMoment('--to', flags.to, now);
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const target = readTarget(
      await verbs.resources(args[0]),
      args,
      await findScope(flags, io),
      'diff --from',
    );
    const before = await getAtMoment(verbs, target, from);
    const after = await (to === undefined
      ? verbs.get(target.resource, target.name)
      : getAtMoment(verbs, target, to));
    const getDiffSide = (object: ExtensionObject): Side => ({
      title: `${getSubject(target.resource, target.name)} (revision ${object.metadata.resourceVersion})`,
      object,
    });
    return (await printDiff(io, getDiffSide(before), getDiffSide(after))) ? EXIT.differs : EXIT.done;
  });
}

/** @returns true when they differ */
async function printDifference(io: CliIo, { manifest, live, object, warnings }: Applied): Promise<boolean> {
  const subject = getSubject(manifest.resource, manifest.name);
  printWarnings(io, subject, warnings);
  return printDiff(
    io,
    { title: `${subject} (live)`, object: live },
    { title: `${subject} (${manifest.place()})`, object },
  );
}
