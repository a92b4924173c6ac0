import { Option, type Command } from 'commander';
import { ServiceError } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import { byApiVersionAndKind, readManifest, type InputFlags, type Manifest } from '../input/manifests.js';
import { streamDocuments, STREAM_FORMATS, type StreamFormat } from '../input/stream.js';
import type { CliIo } from '../io.js';
import { Progress } from '../output/progress.js';
import { subjectOf } from '../output/written.js';
import { atPlace, Failures, printWarnings } from '../results.js';
import { openForWriting, withVerbs, type GlobalFlags } from '../session.js';
import { importAll, type ImportOutcome } from '../transfer/importer.js';
import {
  examples,
  inputFlags,
  requiredFiles,
  validateFlag,
  VALIDATIONS,
  type CommandContext,
  type Validation,
} from './shared.js';

interface Flags extends GlobalFlags, Partial<InputFlags> {
  readonly format?: StreamFormat;
  readonly skipExisting?: boolean;
  readonly dryRun?: boolean;
  readonly validate: Validation;
}

export function define(command: Command, context: CommandContext): void {
  inputFlags(command);
  command
    .addOption(
      new Option(
        '--format <format>',
        'of the files; default: by the name, else by how the text begins',
      ).choices(STREAM_FORMATS),
    )
    .option('--skip-existing', 'leave objects that are there already as they are')
    .option('--dry-run', 'only say what would happen')
    .addOption(validateFlag())
    .action(async (_flags: unknown, self: Command) => {
      context.exitCode = await runImport(self.optsWithGlobals<Flags>(), context.io);
    });
  command.addHelpText(
    'after',
    [
      '',
      'Creates what is not there and overwrites what is different: what a file does not state is removed, but for',
      'status and finalizers. Files of any size are read piece by piece, and written some hundred objects at a',
      'time. After an interruption run it again: what is there already is unchanged.',
    ].join('\n'),
  );
  examples(command, [
    'xsvc import -f objects.ndjson',
    'xsvc export --all -o ndjson | xsvc import -f - --data-dir ./copy',
    'xsvc import -f ./backup -R --skip-existing --dry-run',
  ]);
}

async function runImport(flags: Flags, io: CliIo): Promise<number> {
  const filename = requiredFiles('import', flags.filename);
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const failures = new Failures(io, flags.verbose === true);
    const tally = { created: 0, configured: 0, unchanged: 0, skipped: 0 };
    const progress = new Progress(io.stderr, 'imported', undefined);
    const tell = async (outcome: ImportOutcome): Promise<void> => {
      const { manifest } = outcome;
      const subject = subjectOf(manifest.resource, manifest.name);
      if ('error' in outcome) {
        progress.clear();
        await failures.add(atPlace(outcome.error, manifest.place, subject));
        return;
      }
      tally[outcome.verb] += 1;
      if (outcome.warnings.length > 0) progress.clear();
      printWarnings(io, subject, outcome.warnings);
    };
    const manifests = manifestsIn({ ...flags, filename }, io, await verbs.resources(), async (problem) => {
      progress.clear();
      await failures.add(problem);
    });
    const options = {
      fieldValidation: VALIDATIONS[flags.validate],
      dryRun: flags.dryRun === true,
      skipExisting: flags.skipExisting === true,
    };
    let done = 0;
    try {
      for await (const outcomes of importAll(verbs, manifests, options)) {
        for (const outcome of outcomes) await tell(outcome);
        progress.show((done += outcomes.length));
      }
    } finally {
      progress.clear();
      // Also after an interruption: it says how far it came.
      io.stdout.write(
        `${summary({ ...tally, failed: failures.count })}${options.dryRun ? ' (dry run)' : ''}\n`,
      );
    }
    return failures.exitCode;
  });
}

async function* manifestsIn(
  { filename, recursive, format }: Flags & InputFlags,
  io: CliIo,
  resources: readonly Resource[],
  onProblem: (problem: ServiceError) => Promise<void>,
): AsyncGenerator<Manifest> {
  const models = byApiVersionAndKind(resources);
  const options = { format, recursive: recursive === true, onProblem };
  for await (const document of streamDocuments(io, filename, options)) {
    const manifest = readManifest(document, models);
    if (manifest instanceof ServiceError) await onProblem(manifest);
    else yield manifest;
  }
}

function summary(tally: Readonly<Record<string, number>>): string {
  return Object.entries(tally)
    .filter(([what, count]) => count > 0 || what === 'created')
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}
