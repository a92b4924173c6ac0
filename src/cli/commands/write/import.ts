import { ServiceError } from '../../../errors.js';
import { findLastMigration } from '../../../model/evolve/migration-stamp.js';
import { resolveResource } from '../../../model/resolve-resource.js';
import type { Resource } from '../../../model/resource.js';
import { UsageError } from '../../exit.js';
import { Unchecked } from '../../apply/unchecked.js';
import { declaredKinds } from '../../input/definitions.js';
import type { Document } from '../../input/documents.js';
import { byApiVersionAndKind, readManifest, type Manifest } from '../../input/manifests.js';
import { streamDocuments, STREAM_FORMATS } from '../../input/stream.js';
import type { CliIo } from '../../io.js';
import { findScope, type Scope } from '../../remote/namespaces.js';
import { counted } from '../../output/counted.js';
import { Progress } from '../../output/progress.js';
import { getSubject } from '../../output/written.js';
import { atPlace, Failures, printWarnings } from '../../results.js';
import { findRemote } from '../../remote/remote.js';
import { openForWriting, withVerbs } from '../../session.js';
import { importAll, type ImportOutcome } from '../../transfer/importer.js';
import { SERVER_LOT, STORE_LOT } from '../../transfer/lots.js';
import { MigrationNotice } from '../../transfer/migration-notice.js';
import { RemovalNotice } from '../../transfer/removals.js';
import { command } from '../../command.js';
import { choice, integer, text, texts, toggle, withDefault, type CommandFlags } from '../../flags.js';
import { DRY_RUN, INPUT, requiredFiles, VALIDATE, VALIDATIONS } from '../shared.js';

const FORMATS = [...STREAM_FORMATS, 'csv'] as const;

const FLAGS = {
  ...INPUT,
  format: choice('<format>', 'file format; default: by the name, else by the content', FORMATS),
  map: texts('<pairs>', 'columns of CSV files by field: name=id,spec.title=Title (repeatable)'),
  delimiter: withDefault(text('<character>', 'separator of CSV columns; \\t for a tab'), ','),
  merge: toggle('keep fields of existing objects that a file omits'),
  skipExisting: toggle('do not change existing objects'),
  maxErrors: integer('stop after this number of rejected objects; default: import all others', 1),
  asIs: toggle('import objects as they are, without running migrations'),
  ...DRY_RUN,
  ...VALIDATE,
};
type Flags = CommandFlags<typeof FLAGS>;

const ERRORS_PRINTED = 20;

/** Ends an import after too many rejected objects; they are reported already. */
class TooManyErrors extends Error {}

export const define = command({
  args: { '[resource]': 'model of the rows of CSV files; not for other files' },
  flags: FLAGS,
  notes: [
    'Creates missing objects and updates existing ones. Fields that a file omits are removed (except status and',
    'finalizers), after a notice. Use --merge to keep them. Files of any size are streamed and written in batches of',
    'some hundred objects. After an interruption run it again: objects already imported stay unchanged.',
    '',
    'Prints the first 20 errors, or --max-errors of them, and counts the others. Rejected objects are left out.',
    '--max-errors stops the import; objects before the last error stay imported.',
    '',
    'Owners (metadata.ownerReferences) are found by name, in the store or anywhere in the files. Missing owners are',
    'left out, because objects with missing owners would be removed. Run the import again when the owners exist.',
    '',
    'Objects of a model with migrations go through the migrations after their recorded one (written by export), or',
    'through all when none is recorded; in an older version they are also converted. With --as-is, and for CSV, objects',
    'have the current schema.',
  ],
  examples: [
    'xsvc import -f objects.ndjson',
    'xsvc export --all -o ndjson | xsvc import -f - --data-dir ./copy',
    'xsvc import -f ./backup -R --skip-existing --dry-run',
    'xsvc import persons -f people.csv --map name=id,spec.name=Name,spec.age=Age --merge',
  ],
  run: runImport,
});

async function runImport(flags: Flags, io: CliIo, [model]: readonly string[]): Promise<number> {
  const filename = requiredFiles('import', flags.filename);
  const columns = readColumns(model, flags);
  const delimiter = readDelimiter(flags.delimiter);
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const { maxErrors = Infinity } = flags;
    const failures = new Failures(io, flags, flags.maxErrors ?? ERRORS_PRINTED);
    const refuseMore = (): void => {
      if (failures.count >= maxErrors) throw new TooManyErrors();
    };
    const tally = { created: 0, configured: 0, unchanged: 0, skipped: 0 };
    const progress = new Progress(io.stderr, 'imported', undefined);
    const migrated = new MigrationNotice(io, flags.dryRun === true);
    const resources = await verbs.resources();
    const unchecked = new Unchecked(resources);
    let left = 0;
    const isLeft = (manifest: Manifest): boolean => {
      if (flags.dryRun !== true || unchecked.reason(manifest) === undefined) return false;
      left += 1;
      return true;
    };
    const report = async (outcome: ImportOutcome): Promise<void> => {
      const { manifest } = outcome;
      const subject = getSubject(manifest.resource, manifest.name);
      if ('error' in outcome) {
        if (isLeft(manifest)) return;
        progress.clear();
        if (outcome.migrations.length > 0 && findLastMigration(manifest.value) === undefined)
          migrated.refused();
        await failures.add(atPlace(outcome.error, manifest.place, subject));
        return;
      }
      tally[outcome.verb] += 1;
      if (outcome.verb !== 'skipped') unchecked.note(manifest, outcome.verb);
      const isWritten = outcome.verb === 'created' || outcome.verb === 'configured';
      if (isWritten && outcome.migrations.length > 0) migrated.add(manifest, outcome.migrations);
      if (outcome.warnings.length > 0) progress.clear();
      printWarnings(io, subject, outcome.warnings);
    };
    const csv =
      model === undefined ? undefined : { resource: resolveResource(resources, model), columns, delimiter };
    const onProblem = async (problem: ServiceError): Promise<void> => {
      progress.clear();
      await failures.add(problem);
      refuseMore();
    };
    const { format, recursive = false } = flags;
    const documents = streamDocuments(io, filename, { format, recursive, csv, onProblem });
    const models = new Map(byApiVersionAndKind(resources));
    const scope = await findScope(flags, io);
    const manifests = manifestsIn(documents, { models, scope, onProblem, isLeft });
    const notice = new RemovalNotice(io, flags.dryRun === true);
    let ownerless = 0;
    const options = {
      fieldValidation: VALIDATIONS[flags.validate],
      dryRun: flags.dryRun === true,
      skipExisting: flags.skipExisting === true,
      merge: flags.merge === true,
      // The columns of a table fill fields of the current shape.
      asIs: flags.asIs === true || csv !== undefined,
      models: () => [...models.values()],
      lot: (await findRemote(flags, io)) === undefined ? STORE_LOT : SERVER_LOT,
      getErrorsLeft: () => maxErrors - failures.count,
      onOwnerless: () => (ownerless += 1),
      onRemoval: (manifest: Manifest, paths: readonly string[]) => {
        progress.clear();
        notice.report(manifest, paths);
      },
    };
    let done = 0;
    let isCut = false;
    try {
      for await (const outcomes of importAll(verbs, manifests, options)) {
        for (const outcome of outcomes) await report(outcome);
        progress.show((done += outcomes.length));
        refuseMore();
      }
    } catch (error) {
      isCut = !(error instanceof TooManyErrors);
      if (isCut) throw error;
      progress.clear();
      io.stderr.line(
        `stopped after ${counted(failures.count, 'error')} (--max-errors); later objects were not imported`,
      );
    } finally {
      progress.clear();
      failures.printRest();
      notice.finish();
      migrated.finish();
      if (left > 0)
        io.stderr.line(
          `${counted(left, 'object')} not checked: the definitions and namespaces that they need are not written yet`,
        );
      if (ownerless > 0)
        io.stderr.line(
          `${counted(ownerless, 'object')} written without their missing owners; import again when the owners exist`,
        );
      // Also printed after an interruption, with the progress.
      if (!isCut || done + failures.count > 0)
        io.stdout.line(
          `${summary({ ...tally, failed: failures.count })}${options.dryRun ? ' (dry run)' : ''}`,
        );
    }
    return failures.exitCode;
  });
}

/** Documents of unknown kinds that wait in memory for their definition later in the files. */
const WAITING_MAX = 10_000;

interface Reading {
  /** By `apiVersion` and kind; kinds of definitions are added as they are read. */
  readonly models: Map<string, Resource>;
  readonly scope: Scope;
  readonly onProblem: (problem: ServiceError) => Promise<void>;
  /** True for a manifest that a dry run cannot check. */
  readonly isLeft: (manifest: Manifest) => boolean;
}

/** Each definition is before the objects of its kinds. */
async function* manifestsIn(
  documents: AsyncIterable<Document>,
  { models, scope, onProblem, isLeft }: Reading,
): AsyncGenerator<Manifest> {
  const waiting: Document[] = [];
  for await (const document of documents) {
    for (const [key, kind] of byApiVersionAndKind(declaredKinds(document.value)))
      if (!models.has(key)) models.set(key, kind);
    const manifest = readManifest(document, models, { scope });
    if (!(manifest instanceof ServiceError)) {
      if (!isLeft(manifest)) yield manifest;
    } else if (manifest.code === 'NotFound' && waiting.length < WAITING_MAX) waiting.push(document);
    else await onProblem(manifest);
  }
  for (const document of waiting) {
    const manifest = readManifest(document, models, { scope });
    if (manifest instanceof ServiceError) await onProblem(manifest);
    else if (!isLeft(manifest)) yield manifest;
  }
}

/** A title may contain commas: a comma separates pairs only before a field and a `=`. */
const NEXT_PAIR = /,(?=[^,=]+=)/;

/**
 * The columns of CSV files, by field.
 * @throws UsageError for an invalid mapping, or without a model for it
 */
function readColumns(model: string | undefined, { map }: Flags): ReadonlyMap<string, string> | undefined {
  if (map === undefined) return undefined;
  if (model === undefined)
    throw new UsageError('--map is for CSV; name the model first: xsvc import persons -f people.csv');
  const columns = new Map<string, string>();
  for (const pair of map.flatMap((pairs) => pairs.split(NEXT_PAIR))) {
    const [, field, column] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
    if (field === undefined || column === undefined)
      throw new UsageError(`--map needs field=column pairs such as name=id,spec.title=Title, not "${pair}"`);
    if (columns.has(field)) throw new UsageError(`--map names a column of ${field} twice`);
    columns.set(field, column);
  }
  return columns;
}

/** @throws UsageError for an invalid delimiter */
function readDelimiter(text: string): string {
  if (text === '\\t') return '\t';
  if (text === '' || /["\r\n]/.test(text))
    throw new UsageError('--delimiter needs the separator of columns, such as ";" or \\t for a tab');
  return text;
}

function summary(tally: Readonly<Record<string, number>>): string {
  return Object.entries(tally)
    .filter(([what, count]) => count > 0 || what === 'created')
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}
