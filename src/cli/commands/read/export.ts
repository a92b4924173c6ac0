import path from 'node:path';
import { makeDirectories } from '../../../lib/make-directories.js';
import { unavailable, type ServiceError } from '../../../errors.js';
import type { ExtensionObject } from '../../../model/object.js';
import { getApiVersion, versionKey, type Resource } from '../../../model/resource.js';
import { targetsFirst } from '../../../model/references/order.js';
import { inOneVersion, resolveResource } from '../../../model/resolve-resource.js';
import { pickOptions, type ListOptions } from '../../../query/list-options.js';
import { SELECTORS } from '../../../query/list-parameters.js';
import type { Verbs } from '../../../service/verbs.js';
import { eachObject } from '../../each-object.js';
import { EXIT, UsageError } from '../../exit.js';
import { rankOf } from '../../input/definitions.js';
import { formatOfName, STREAM_FORMATS, type StreamFormat } from '../../input/stream.js';
import type { CliIo } from '../../io.js';
import { findScope, listedIn } from '../../remote/namespaces.js';
import { counted } from '../../output/counted.js';
import { paced } from '../../output/paced.js';
import { Progress } from '../../output/progress.js';
import { openForReading, withVerbs } from '../../session.js';
import { exported } from '../../transfer/last-migration.js';
import { manifestTexts } from '../../transfer/manifest-texts.js';
import { writeWhole } from '../../transfer/write-whole.js';
import { command } from '../../command.js';
import { format, text, toggle, type CommandFlags } from '../../flags.js';
import { ALL_NAMESPACES, SELECTOR_FLAGS } from '../shared.js';

/** The service itself writes these objects about its plugins; they have no use in another store. */
const PLUGINS_GROUP = 'plugin.platform.run';

const FLAGS = {
  ...SELECTOR_FLAGS,
  all: toggle(`all models except those of ${PLUGINS_GROUP}, in all namespaces unless -n is given`),
  ...ALL_NAMESPACES,
  output: format(STREAM_FORMATS, 'output format; default: by the file name, else yaml'),
  filename: text('<file>', 'write to this file instead of standard output (-)', { short: '-f' }),
  outputDir: text('<dir>', 'write one file per model to this directory'),
  withStatus: toggle('include status'),
};
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: { '[resources...]': 'plurals, singulars, kinds or short names' },
  flags: FLAGS,
  notes: [
    'Writes manifests for apply and import, sorted by model and name (namespaces and definitions first), without fields that the service sets. Objects that',
    'are being deleted are left out. A file appears when it is complete. Objects of a model with migrations record the',
    'last migration; import continues from there.',
  ],
  examples: [
    'xsvc export persons -l demo.example.com/team=blue > blue.yaml',
    'xsvc export --all --with-status -o ndjson -f objects.ndjson',
    'xsvc export persons packages --output-dir ./manifests',
  ],
  run: runExport,
});

async function runExport(flags: Flags, io: CliIo, names: readonly string[]): Promise<number> {
  const { filename = '-', outputDir, all = false } = flags;
  if (names.length > 0 === all)
    throw new UsageError(
      all ? 'names of resources cannot be combined with --all' : 'export needs resources, or --all',
    );
  if (flags.filename !== undefined && outputDir !== undefined)
    throw new UsageError('use either -f (one file) or --output-dir (one file per model)');
  const allNamespaces = flags.allNamespaces ?? (all && flags.namespace === undefined);
  const scope = await findScope({ ...flags, allNamespaces }, io);
  const written = flags.output ?? formatOfName(filename) ?? 'yaml';
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const resources = chosen(await verbs.resources(), names);
    const optionsOf = (resource: Resource): ListOptions => ({
      ...pickOptions(flags, SELECTORS),
      ...listedIn(scope, resource),
    });
    let total = 0;
    for (const resource of resources)
      total += (await verbs.list(resource, { ...optionsOf(resource), size: 1 })).total;
    const run = new Run(verbs, { resources, optionsOf }, io, total);
    if (outputDir !== undefined) {
      const directory = path.resolve(io.cwd, outputDir);
      await makeDirectories(directory);
      for (const resource of resources) {
        const file = path.join(directory, formatFileName(resource, written));
        await writeWhole(file, manifestTexts(run.iterateObjects(resource), written, flags));
      }
    } else if (filename !== '-') {
      await writeWhole(path.resolve(io.cwd, filename), manifestTexts(run.objects(), written, flags));
    } else {
      for await (const text of paced(manifestTexts(run.objects(), written, flags), io.stdout)) {
        if (io.stdout.isClosed) break;
        io.stdout.write(text);
      }
    }
    run.finish();
    return EXIT.done;
  });
}

/** Each model once, by plural, group and version. */
function chosen(all: readonly Resource[], names: readonly string[]): readonly Resource[] {
  const wanted =
    names.length === 0
      ? inOneVersion(all).filter(({ group }) => group !== PLUGINS_GROUP)
      : [...new Set(names.map((name) => resolveResource(all, name)))];
  const getKey = (resource: Resource): string => `${resource.plural} ${getApiVersion(resource)}`;
  // An import then finds the targets of references.
  const ordered = targetsFirst([...wanted].sort((a, b) => (getKey(a) < getKey(b) ? -1 : 1)));
  return [...ordered].sort((a, b) => rankOf(a) - rankOf(b));
}

function formatFileName({ plural, group, version }: Resource, format: StreamFormat): string {
  return [plural, group, version, format].filter((part) => part !== '').join('.');
}

function migrating({ group, kind }: Resource): ServiceError {
  return unavailable(`objects of ${kind} are being migrated; export them when the migration is done`, {
    group,
    kind,
  });
}

/** The selected objects. */
interface Chosen {
  readonly resources: readonly Resource[];
  readonly optionsOf: (resource: Resource) => ListOptions;
}

/** The objects of an export, and its progress. */
class Run {
  #done = 0;
  #leftOut = 0;
  readonly #progress: Progress;

  /** @param total the number of objects, for the progress */
  constructor(
    private readonly verbs: Verbs,
    private readonly chosen: Chosen,
    private readonly io: CliIo,
    total: number,
  ) {
    this.#progress = new Progress(io.stderr, 'exported', total);
  }

  async *objects(): AsyncGenerator<ExtensionObject> {
    for (const resource of this.chosen.resources) yield* this.iterateObjects(resource);
  }

  async *iterateObjects(resource: Resource): AsyncGenerator<ExtensionObject> {
    if (resource.isMigrating === true) throw migrating(resource);
    for await (const object of eachObject(this.verbs, resource, this.chosen.optionsOf(resource))) {
      this.#progress.show((this.#done += 1));
      if (object.metadata.deletionTimestamp === undefined) yield exported(resource, object);
      else this.#leftOut += 1;
    }
    const now = (await this.verbs.resources()).find((one) => versionKey(one) === versionKey(resource));
    // Some of the objects may have been read before a migration, and others after it.
    if (now?.migrations?.at(-1) !== resource.migrations?.at(-1)) throw migrating(resource);
  }

  finish(): void {
    this.#progress.clear();
    if (this.io.stdout.isClosed) return;
    const models = this.chosen.resources.length;
    const leftOut = this.#leftOut === 0 ? '' : `; left out ${this.#leftOut} that are being deleted`;
    this.io.stderr.line(
      `exported ${counted(this.#done - this.#leftOut, 'object')} of ${counted(models, 'model')}${leftOut}`,
    );
  }
}
