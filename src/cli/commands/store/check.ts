import { inOneVersion } from '../../../model/resolve-resource.js';
import { modelKey } from '../../../model/resource.js';
import type { StoreReader } from '../../../admin/reader.js';
import type { Disagreement } from '../../../store/check.js';
import type { Verbs } from '../../../service/verbs.js';
import { EXIT, UsageError, type ExitCode } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { withModels } from '../../model/open.js';
import { counted } from '../../output/counted.js';
import { findRemote, type Remote } from '../../remote/remote.js';
import { loadConfig, openCommandLog, withVerbs } from '../../session.js';
import { command } from '../../command.js';
import { toggle, type GlobalFlags } from '../../flags.js';

export const define = command({
  flags: { schema: toggle('also list the objects that are invalid for their models') },
  notes: [
    'Exits with 1 when the store is inconsistent, or an object is invalid. With --schema, exits with 6 when objects could',
    'not be checked, because the plugin that declares their model is not loaded, or its definition is not served.',
  ],
  examples: [
    'xsvc check',
    'xsvc check --schema',
    'xsvc check --data-dir /var/lib/xsvc',
    'xsvc check --server https://xsvc.example.com:8090',
  ],
  run: async ({ schema = false, ...flags }, io) => {
    const remote = await findRemote(flags, io);
    if (schema && remote !== undefined)
      throw new UsageError('check --schema works on a store, not on a server; use --data-dir');
    const code = await (remote === undefined ? checkHere(flags, io) : checkThere(remote, io));
    return schema ? Math.max(code, await checkSchema(flags, io)) : code;
  },
});

/** Lists the objects that are invalid for the models of the plugins and of the definitions. @returns the exit code */
async function checkSchema(flags: GlobalFlags, io: CliIo): Promise<ExitCode> {
  const options = { command: 'check', readOnly: true };
  return withModels(flags, io, options, async ({ store, lifecycle, schemes }) => {
    const declared = new Set(schemes.map(({ resource }) => modelKey(resource)));
    let found = 0;
    for (const scheme of schemes) {
      const { kind } = scheme.resource;
      const { invalid } = await lifecycle.scan(scheme, {
        onInvalid: ({ name, problem }) => io.stdout.line(`${kind} "${name}": ${problem}`),
      });
      found += invalid;
    }
    let unchecked = 0;
    for (const { resource } of store.allTables()) {
      if (declared.has(modelKey(resource))) continue;
      const objects = await store.getCount(resource);
      if (objects === 0) continue;
      unchecked += 1;
      const what = `${resource.kind} was not checked (${counted(objects, 'object')})`;
      const reason =
        resource.origin === undefined
          ? 'the plugin that declares it is not loaded'
          : 'its definition is not served';
      io.stderr.line(`${what}: ${reason}`);
    }
    io.stderr.line(formatValidity(found, unchecked));
    if (unchecked > 0) return EXIT.unavailable;
    return found === 0 ? EXIT.done : EXIT.failed;
  });
}

function formatValidity(invalid: number, unchecked: number): string {
  const of = unchecked === 0 ? '' : ' of the checked models';
  const result =
    invalid === 0
      ? `all objects${of} are valid`
      : `${counted(invalid, 'object')}${of} ${invalid === 1 ? 'is' : 'are'} invalid`;
  return unchecked === 0 ? result : `${result}; ${counted(unchecked, 'model')} could not be checked`;
}

/** Lets a server compare, which has its store open. */
async function checkThere(remote: Remote, io: CliIo): Promise<number> {
  const { remoteCheck } = await import('../../../client/whole-store.js');
  let found = 0;
  for await (const line of remoteCheck(remote.url, remote)) {
    if ('objects' in line) return verdict(found, line, io);
    found += 1;
    io.stdout.line(formatLine(line));
  }
  return EXIT.failed;
}

function verdict(
  found: number,
  { objects, models }: { readonly objects: number; readonly models: number },
  io: CliIo,
): number {
  io.stderr.line(
    found === 0
      ? `the store is consistent: ${objects} objects of ${models} models`
      : `the store is inconsistent: ${found} problems`,
  );
  return found === 0 ? EXIT.done : EXIT.failed;
}

async function checkHere(flags: GlobalFlags, io: CliIo): Promise<number> {
  const config = await loadConfig(flags, io);
  const { openReader } = await import('../../../admin/reader.js');
  const access = { dataDir: config.dataDir, relaxed: config.durability === 'relaxed' };
  // Before any write: a directory without a store must not get one.
  const reader = await openReader(access);
  const { verbs } = reader;
  const [counts, foundOlder] = await withVerbs(Promise.resolve(verbs), async () => [
    await countAll(verbs),
    reader.isOlder ? await checkOlder(reader, io) : undefined,
  ]);
  if (foundOlder !== undefined) return verdict(foundOlder, counts, io);
  const logger = await openCommandLog(flags, io);
  const { openCheck } = await import('../../../daemon/offline/plugin-store.js');
  const opened = await openCheck(config, logger);
  try {
    return verdict(await printAll(opened.disagreements, io), counts, io);
  } finally {
    await opened.close();
  }
}

/** Loading the plugins would upgrade the store. */
function checkOlder(reader: StoreReader, io: CliIo): Promise<number> {
  io.stderr.line(
    'the store has an older format: values are not compared with the index functions of the plugins',
  );
  return printAll(reader.check(), io);
}

/** @returns their number */
async function printAll(disagreements: AsyncIterable<Disagreement>, io: CliIo): Promise<number> {
  let found = 0;
  for await (const disagreement of disagreements) {
    found += 1;
    io.stdout.line(formatLine(disagreement));
  }
  return found;
}

async function countAll(verbs: Verbs): Promise<{ objects: number; models: number }> {
  const resources = inOneVersion(await verbs.resources());
  let objects = 0;
  for (const resource of resources) objects += (await verbs.list(resource, { size: 1 })).total;
  return { objects, models: resources.length };
}

function formatLine({ kind, name, message }: Disagreement): string {
  const subject = [kind, name === undefined ? undefined : `"${name}"`]
    .filter((part) => part !== undefined)
    .join(' ');
  return subject === '' ? message : `${subject}: ${message}`;
}
