import { notFound } from '../../../errors.js';
import { formatYaml } from '../../../lib/json/yaml.js';
import { AGGREGATED, getDocumentId } from '../../../openapi/groups.js';
import { ownVersion } from '../../../version.js';
import type { CliIo } from '../../io.js';
import { findRemote, type Remote } from '../../remote/remote.js';
import { withDescription } from '../../session.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit.js';
import { format, text, withDefault, type CommandFlags, type GlobalFlags } from '../../flags.js';

const FLAGS = {
  group: text(
    '<id>',
    'aggregated, extension, console, uc, public, plugins, platform, or the id of a document (default: aggregated)',
  ),
  output: withDefault(format(['json', 'yaml'], 'format of the document'), 'json'),
};

export const define = command({
  flags: FLAGS,
  examples: [
    'xsvc openapi > openapi.json',
    'xsvc openapi --group plugins -o yaml',
    'xsvc openapi --group plugin_person --server http://127.0.0.1:8090',
  ],
  run: openapi,
});

async function openapi(flags: CommandFlags<typeof FLAGS>, io: CliIo): Promise<number> {
  const id = flags.group === undefined ? AGGREGATED.id : getDocumentId(flags.group);
  const remote = await findRemote(flags, io);
  const document = remote === undefined ? await describeHere(id, flags, io) : await fetchFrom(remote, id);
  io.stdout.write(flags.output === 'yaml' ? formatYaml(document) : `${JSON.stringify(document, null, 2)}\n`);
  return EXIT.done;
}

async function fetchFrom(remote: Remote, id: string): Promise<unknown> {
  const { RemoteTransport } = await import('../../../client/remote-transport.js');
  const transport = new RemoteTransport(remote.url, remote);
  return (await transport.request(`/v3/api-docs/${encodeURIComponent(id)}`)).body;
}

async function describeHere(id: string, flags: GlobalFlags, io: CliIo): Promise<unknown> {
  const { Describer } = await import('../../../openapi/description.js');
  const { PLATFORM_DESCRIPTION } = await import('../../../http/platform/endpoints.js');
  return withDescription(flags, io, ({ models, routes, findOwner: ownerOf }) => {
    const programVersion = ownVersion();
    const parts = { models, routes, ownerOf, programVersion };
    const description = new Describer(PLATFORM_DESCRIPTION).describe(parts);
    const document = description.find(id);
    if (document === undefined)
      throw notFound(`no API description "${id}"; known descriptions: ${description.ids().join(', ')}`);
    return document.value();
  });
}
