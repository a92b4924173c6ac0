import { Option, type Command } from 'commander';
import { notFound } from '../../../errors.js';
import { formatYaml } from '../../../lib/json/yaml.js';
import { AGGREGATED, getDocumentId } from '../../../openapi/groups.js';
import { ownVersion } from '../../../version.js';
import type { CliIo } from '../../io.js';
import { openLineLog } from '../../logging.js';
import { loadConfig, findRemote, type GlobalFlags, type Remote } from '../../session.js';
import { examples, type CommandContext } from '../shared.js';

interface OpenApiFlags extends GlobalFlags {
  readonly group?: string;
  readonly output: 'json' | 'yaml';
}

export function define(command: Command, context: CommandContext): void {
  command
    .option(
      '--group <id>',
      'aggregated, extension, console, uc, public, or the id of a document (default: aggregated)',
    )
    .addOption(
      new Option('-o, --output <format>', 'format of the document').choices(['json', 'yaml']).default('json'),
    )
    .action(async (_flags: unknown, self: Command) => {
      await openapi(self.optsWithGlobals<OpenApiFlags>(), context.io);
    });
  examples(command, [
    'xsvc openapi > openapi.json',
    'xsvc openapi --group extension -o yaml',
    'xsvc openapi --group plugin_person --server http://127.0.0.1:8090',
  ]);
}

async function openapi(flags: OpenApiFlags, io: CliIo): Promise<void> {
  const id = flags.group === undefined ? AGGREGATED.id : getDocumentId(flags.group);
  const remote = findRemote(flags, io.env);
  const document = remote === undefined ? await describeHere(id, flags, io) : await fetchFrom(remote, id);
  io.stdout.write(flags.output === 'yaml' ? formatYaml(document) : `${JSON.stringify(document, null, 2)}\n`);
}

async function fetchFrom({ url, token }: Remote, id: string): Promise<unknown> {
  const { Transport } = await import('../../../client/transport.js');
  const transport = new Transport(url, token === undefined ? {} : { token });
  return (await transport.request(`/v3/api-docs/${encodeURIComponent(id)}`)).body;
}

async function describeHere(id: string, flags: OpenApiFlags, io: CliIo): Promise<unknown> {
  const config = await loadConfig(flags, io);
  const logger = await openLineLog(io, flags.verbose === true ? 'debug' : 'warn');
  const { openDescription } = await import('../../../daemon/app.js');
  const { Describer } = await import('../../../openapi/description.js');
  const { PLATFORM_DESCRIPTION } = await import('../../../http/platform/endpoints.js');
  const opened = await openDescription(config, logger);
  try {
    const { models, routes, findOwner: ownerOf } = opened;
    const programVersion = ownVersion();
    const description = new Describer(PLATFORM_DESCRIPTION).describe({
      models,
      routes,
      ownerOf,
      programVersion,
    });
    const document = description.find(id);
    if (document === undefined)
      throw notFound(`no API description "${id}"; known descriptions: ${description.ids().join(', ')}`);
    return document.value();
  } finally {
    await opened.close();
  }
}
