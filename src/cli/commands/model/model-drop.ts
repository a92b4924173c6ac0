import { setTimeout as sleep } from 'node:timers/promises';
import { notFound, unavailable } from '../../../errors.js';
import { modelKey, qualifiedPlural } from '../../../model/resource.js';
import { resolveResource } from '../../../model/resolve-resource.js';
import { holderText } from '../../../cluster/served-models.js';
import type { Incoming } from '../../../store/index/referrers.js';
import type { Table } from '../../../store/table.js';
import type { DeclaredModels } from '../../../daemon/offline/declared-models.js';
import { EXIT, type ExitCode } from '../../exit.js';
import { confirm } from '../../input/confirm.js';
import type { CliIo } from '../../io.js';
import { withModels } from '../../model/open.js';
import { PLATFORM, type Scheme } from '../../../model/declare/scheme.js';
import { counted } from '../../output/counted.js';
import { Progress } from '../../output/progress.js';
import { command } from '../../command.js';
import { text, type CommandFlags } from '../../flags.js';
import { YES } from '../shared.js';

/** A watcher in another process checks for changes a few times a second, and needs the model to read them. */
const WATCHERS_MS = 1_000;

const FLAGS = {
  version: text('<version>', 'remove only objects stored in this version, which no class declares'),
  ...YES,
};

export const modelDrop = command({
  description: 'Remove a model that no plugin declares, with its objects',
  args: { '<kind>': 'kind, plural, singular or short name of the model' },
  flags: FLAGS,
  notes: [
    'Objects are removed whatever finalizers they have; watches see DELETED events. The command fails while a plugin',
    'of the plugin directories, enabled or disabled, or a running daemon declares the model, and while objects of',
    'a declared model refer to objects that would be removed, whatever their onDelete policy. After an interruption,',
    'run it again.',
  ],
  examples: ['xsvc model drop Ticket', 'xsvc model drop Ticket --version v1alpha1 --yes'],
  run: drop,
});

async function drop(
  { version, yes, ...flags }: CommandFlags<typeof FLAGS>,
  io: CliIo,
  [kind = '']: readonly string[],
): Promise<ExitCode> {
  const options = { command: 'model drop', readOnly: false, alsoEnabled: 'all' as const };
  return withModels(flags, io, options, async (models) => {
    const { store, lifecycle } = models;
    const tables = store.allTables();
    const resource = resolveResource(
      tables.map((table) => table.resource),
      kind,
    );
    const table = tables.find((one) => one.resource === resource);
    if (table === undefined) throw new Error(`${kind} has no table`);
    await refuseDeclared(models, table, version);
    const count = await getCount(models, table, version);
    const keptBy = await findKeepers(models, table);
    await lifecycle.refuseDropReferred({ table, version, keptBy });
    const which = version === undefined ? '' : ` stored in version ${version}`;
    const question = `Remove ${counted(count, 'object')} of ${qualifiedPlural(resource)}${which}, whatever finalizers they have?`;
    if (!(await confirm(io, question, yes === true))) {
      io.stderr.line('nothing was changed');
      return EXIT.failed;
    }
    const progress = new Progress(io.stderr, 'removed', count);
    const removed = await lifecycle.dropObjects(table, {
      version,
      keptBy,
      progress: (done) => progress.show(done),
    });
    progress.clear();
    if (version === undefined) {
      if (removed > 0) await sleep(WATCHERS_MS);
      await lifecycle.forget(table);
    }
    io.stdout.line(`${qualifiedPlural(resource)} dropped: ${counted(removed, 'object')}${which}`);
    return EXIT.done;
  });
}

function ownerText({ owner, resource }: Scheme): string {
  if (owner === PLATFORM) return 'the platform';
  return resource.origin === 'definition' ? owner : `the plugin "${owner}"`;
}

/** @throws ServiceError `ServiceUnavailable` when a plugin declares the model, or may do so */
async function refuseDeclared(
  { lifecycle, schemes, failures }: DeclaredModels,
  { resource }: Table,
  version: string | undefined,
): Promise<void> {
  const { group, kind } = resource;
  const scheme = schemes.find((one) => modelKey(one.resource) === modelKey(resource));
  if (scheme !== undefined && (version === undefined || scheme.versions.byName.has(version))) {
    const by = ownerText(scheme);
    const what = version === undefined ? kind : `version ${version} of ${kind}`;
    throw unavailable(`${what} is declared by ${by}, so it is not removed`, { group, kind });
  }
  const [failed] = failures;
  if (failed !== undefined)
    throw unavailable(
      `cannot determine whether the plugin "${failed.plugin}" declares ${kind}, because it fails to load: ${failed.message}`,
      { group, kind },
    );
  const holder = await lifecycle.cluster.findHolder(resource);
  if (holder !== undefined)
    throw unavailable(`${holderText(holder)} serves ${kind}; stop it, and try again`, { group, kind });
}

/**
 * Fields of declared models that refer to a model. Fields of undeclared models cannot be changed by verbs, and would keep it
 * permanently.
 */
async function findKeepers(
  { store, lifecycle, schemes }: DeclaredModels,
  table: Table,
): Promise<readonly Incoming[]> {
  const declared = new Set(schemes.map(({ resource }) => modelKey(resource)));
  const found: Incoming[] = [];
  for (const incoming of store.incoming(table)) {
    const { resource } = incoming.table;
    if (declared.has(modelKey(resource)) || (await lifecycle.cluster.findHolder(resource)) !== undefined)
      found.push(incoming);
  }
  return found;
}

/** @throws ServiceError `NotFound` when no object is stored in the version */
async function getCount(
  { store, lifecycle }: DeclaredModels,
  { resource }: Table,
  version: string | undefined,
): Promise<number> {
  if (version === undefined) return store.getCount(resource);
  const count = (await lifecycle.countVersions(resource)).get(version);
  if (count !== undefined) return count;
  const { group, kind } = resource;
  throw notFound(`no object of ${kind} is stored in version ${version}`, { group, kind });
}
