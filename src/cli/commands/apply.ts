import type { Command } from 'commander';
import { badRequest } from '../../errors.js';
import type { Verbs, WriteOptions } from '../../service/verbs.js';
import { applyAtOnce, applyEach, type Outcome } from '../apply/execute.js';
import { UsageError } from '../exit.js';
import { readManifests, type InputFlags, type Manifest } from '../input/manifests.js';
import type { CliIo } from '../io.js';
import { colorsFor, type Colors } from '../output/colors.js';
import { escapeControls } from '../output/escape.js';
import { Progress } from '../output/progress.js';
import { atPlace, Failures, printWarnings } from '../results.js';
import { openForWriting, remoteOf, withVerbs, type GlobalFlags } from '../session.js';
import {
  booleanFrom,
  examples,
  inputFlags,
  validateFlag,
  VALIDATIONS,
  type CommandContext,
  type Validation,
} from './shared.js';

interface Flags extends GlobalFlags, Partial<InputFlags> {
  readonly atomic?: boolean;
  readonly dryRun?: boolean;
  readonly validate: Validation;
}

export function define(command: Command, context: CommandContext): void {
  inputFlags(command);
  command
    .option(
      '--atomic [boolean]',
      'all in one commit or none (default: true on the store, false with a server)',
      booleanFrom,
    )
    .option('--dry-run', 'only say what would happen')
    .addOption(validateFlag())
    .action(async (_flags: unknown, self: Command) => {
      context.exitCode = await apply(self.optsWithGlobals<Flags>(), context.io);
    });
  examples(command, [
    'xsvc apply -f person.yaml',
    'xsvc apply -R -f manifests/ --dry-run',
    "xsvc apply -f 'people/**/*.yaml' --validate=warn",
    'cat person.yaml | xsvc apply -f - --server http://127.0.0.1:8090',
  ]);
}

async function apply(flags: Flags, io: CliIo): Promise<number> {
  const { filename } = flags;
  if (filename === undefined)
    throw new UsageError('apply needs -f with a file, a directory, a pattern, or -');
  const atomic = flags.atomic ?? remoteOf(flags, io.env) === undefined;
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const failures = new Failures(io, flags.verbose === true);
    const input = await readManifests(io, { ...flags, filename }, await verbs.resources());
    for (const problem of input.problems) await failures.add(problem);
    if (failures.count > 0) {
      io.stderr.write(`nothing was written: ${failures.count} of the manifests cannot be used\n`);
      return failures.exitCode;
    }
    if (input.manifests.length === 0) throw badRequest('the files hold no manifest');
    if (atomic && remoteOf(flags, io.env) !== undefined) {
      const { checkBatchLength } = await import('../../client/http-verbs.js');
      checkBatchLength(input.manifests.length);
    }
    await writeAll(verbs, input.manifests, { flags, io, atomic, failures });
    return failures.exitCode;
  });
}

interface Run {
  readonly flags: Flags;
  readonly io: CliIo;
  readonly atomic: boolean;
  readonly failures: Failures;
}

async function writeAll(verbs: Verbs, manifests: readonly Manifest[], run: Run): Promise<void> {
  const { flags, io, atomic, failures } = run;
  const options: WriteOptions = {
    fieldValidation: VALIDATIONS[flags.validate],
    ...(flags.dryRun === true ? { dryRun: true } : {}),
  };
  const colors = await colorsFor(io.stdout, io.env);
  const progress = new Progress(io.stderr, 'applied', manifests.length);
  const outcomes = atomic
    ? await applyAtOnce(verbs, manifests, options)
    : applyEach(verbs, manifests, options);
  let done = 0;
  try {
    for await (const outcome of outcomes) {
      progress.show((done += 1));
      if (!('error' in outcome)) {
        printDone(io, outcome, colors, flags.dryRun === true);
        continue;
      }
      progress.clear();
      const { manifest, error } = outcome;
      await failures.add(atPlace(error, manifest.place, subjectOf(manifest)));
    }
  } finally {
    progress.clear();
  }
  if (atomic && failures.count > 0) io.stderr.write('nothing was written: all of it is one commit\n');
}

function printDone(
  io: CliIo,
  { manifest, verb, warnings }: Extract<Outcome, { verb: unknown }>,
  colors: Colors,
  dryRun: boolean,
): void {
  const color = { created: colors.good, configured: colors.attention, unchanged: colors.faint }[verb];
  io.stdout.write(`${subjectOf(manifest)} ${color(verb)}${dryRun ? ' (dry run)' : ''}\n`);
  printWarnings(io, subjectOf(manifest), warnings);
}

function subjectOf({ resource, name }: Manifest): string {
  return `${resource.plural}/${escapeControls(name)}`;
}
