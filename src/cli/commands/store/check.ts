import { inOneVersion } from '../../../model/resolve-resource.js';
import type { Command } from 'commander';
import { modelKey } from '../../../model/resource.js';
import type { Disagreement } from '../../../store/check.js';
import type { Verbs } from '../../../service/verbs.js';
import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { openLineLog } from '../../logging.js';
import { withModels } from '../../model/open.js';
import { counted } from '../../output/counted.js';
import { escapeControls } from '../../output/escape.js';
import { loadConfig, findRemote, withVerbs, type GlobalFlags, type Remote } from '../../session.js';
import { examples, type CommandContext } from '../shared.js';

interface Flags extends GlobalFlags {
  readonly schema?: boolean;
}

export function define(command: Command, context: CommandContext): void {
  command
    .option('--schema', 'also list the objects that are invalid for their models')
    .action(async (_flags: unknown, self: Command) => {
      const flags = self.optsWithGlobals<Flags>();
      if (flags.schema === true && findRemote(flags, context.io.env) !== undefined)
        throw new UsageError('check --schema works on a store, not on a server; use --data-dir');
      const code = await check(flags, context.io);
      const fits = flags.schema !== true || (await checkSchema(flags, context.io));
      context.exitCode = fits ? code : EXIT.failed;
    });
  examples(command, [
    'xsvc check',
    'xsvc check --schema',
    'xsvc check --data-dir /var/lib/xsvc',
    'xsvc check --server https://xsvc.example.com:8090',
  ]);
}

/** Lists the objects that do not fit the models of the plugins. @returns true when all fit */
async function checkSchema(flags: GlobalFlags, io: CliIo): Promise<boolean> {
  const options = { command: 'check', readOnly: true };
  return withModels(flags, io, options, async ({ store, lifecycle, schemes }) => {
    const declared = new Set(schemes.map(({ resource }) => modelKey(resource)));
    let found = 0;
    for (const scheme of schemes) {
      const { kind } = scheme.resource;
      const { invalid } = await lifecycle.scan(scheme, {
        onInvalid: ({ name, problem }) =>
          io.stdout.write(`${escapeControls(`${kind} "${name}": ${problem}`)}\n`),
      });
      found += invalid;
    }
    for (const { resource } of store.allTables()) {
      if (declared.has(modelKey(resource))) continue;
      io.stderr.write(`${resource.kind} was not checked: the plugin that declares it is not loaded\n`);
    }
    io.stderr.write(
      found === 0
        ? 'all objects are valid\n'
        : `${counted(found, 'object')} ${found === 1 ? 'is' : 'are'} invalid\n`,
    );
    return found === 0;
  });
}

async function check(flags: GlobalFlags, io: CliIo): Promise<number> {
  const remote = findRemote(flags, io.env);
  return remote === undefined ? checkHere(flags, io) : checkThere(remote, io);
}

/** Lets a server compare, which has its store open. */
async function checkThere({ url, token }: Remote, io: CliIo): Promise<number> {
  const { remoteCheck } = await import('../../../client/http-verbs.js');
  let found = 0;
  for await (const line of remoteCheck(url, token === undefined ? {} : { token })) {
    if ('objects' in line) return verdict(found, line, io);
    found += 1;
    io.stdout.write(`${formatLine(line)}\n`);
  }
  return EXIT.failed;
}

function verdict(
  found: number,
  { objects, models }: { readonly objects: number; readonly models: number },
  io: CliIo,
): number {
  io.stderr.write(
    found === 0
      ? `the store is consistent: ${objects} objects of ${models} models\n`
      : `the store is inconsistent: ${found} problems\n`,
  );
  return found === 0 ? EXIT.done : EXIT.failed;
}

async function checkHere(flags: GlobalFlags, io: CliIo): Promise<number> {
  const config = await loadConfig(flags, io);
  const { openReader } = await import('../../../admin/reader.js');
  const access = { dataDir: config.dataDir, relaxed: config.durability === 'relaxed' };
  // Before any write: a directory without a store must not get one.
  const { objects, models } = await withVerbs(
    openReader(access).then(({ verbs }) => verbs),
    countAll,
  );
  const logger = await openLineLog(io, flags.verbose === true ? 'debug' : 'warn');
  const { openCheck } = await import('../../../daemon/app.js');
  const opened = await openCheck(config, logger);
  let found = 0;
  try {
    for await (const disagreement of opened.disagreements) {
      found += 1;
      io.stdout.write(`${formatLine(disagreement)}\n`);
    }
  } finally {
    await opened.close();
  }
  return verdict(found, { objects, models }, io);
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
  return escapeControls(subject === '' ? message : `${subject}: ${message}`);
}
