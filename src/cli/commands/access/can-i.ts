import { hasCode } from '../../../errors.js';
import { isRecord } from '../../../lib/json/json.js';
import { resolveResource } from '../../../model/resolve-resource.js';
import type { Resource } from '../../../model/resource.js';
import { command } from '../../command.js';
import { EXIT, UsageError } from '../../exit.js';
import { text, type CommandFlags } from '../../flags.js';
import type { CliIo } from '../../io.js';
import { findRemote, type Remote } from '../../remote/remote.js';
import { openForReading, withVerbs } from '../../session.js';

/** The verbs of rules on resources; `*` stands for all. */
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'escalate', '*'];

const FLAGS = { subresource: text('<name>', 'a part of the object, like status or history') };
type Flags = CommandFlags<typeof FLAGS>;

export const canI = command({
  summary: 'Tell whether the user of the token may do something',
  description:
    'Prints yes and exits with 0 when the user of the token may do it; otherwise prints no and exits with 1.',
  args: {
    '<verb>': ['what to do', VERBS],
    '<resource>': 'plural, singular, kind or short name, also <plural>.<group> of an endpoint, or * for all',
    '[name]': 'name of the object',
  },
  flags: FLAGS,
  notes: [
    'A service without --auth token allows everything, and so does a store: only the permissions of its files limit',
    'commands on it.',
  ],
  examples: [
    'xsvc auth can-i delete persons --server https://xsvc.example.com:8090',
    'xsvc auth can-i update person ada --subresource status',
    'xsvc auth can-i create backups.api.platform.run',
    "xsvc auth can-i '*' '*'",
  ],
  run: canDo,
});

/** A resource or an object that a command line names. */
interface Asked {
  readonly resource: string;
  readonly name?: string;
}

type Place = Pick<Resource, 'group' | 'plural'>;

async function canDo(flags: Flags, io: CliIo, [verb = '', ...words]: readonly string[]): Promise<number> {
  const asked = readAsked(words);
  const remote = await findRemote(flags, io);
  const place = asked.resource === '*' ? EVERYTHING : await findPlace(asked.resource, remote, flags, io);
  if (remote === undefined) {
    io.stderr.line('a store has no users: only the permissions of its files limit commands on it');
    return answer(true, io);
  }
  const { canI: ask } = await import('../../../client/reviews.js');
  const action = {
    verb,
    group: place.group,
    resource: place.plural,
    ...(asked.name !== undefined && { name: asked.name }),
    ...(flags.subresource !== undefined && { subresource: flags.subresource }),
  };
  return answer(await ask(remote.url, action, remote), io);
}

function answer(isAllowed: boolean, io: CliIo): number {
  io.stdout.line(isAllowed ? 'yes' : 'no');
  return isAllowed ? EXIT.done : EXIT.failed;
}

const EVERYTHING: Place = { group: '*', plural: '*' };

/** @throws UsageError for a name that is given twice, or is empty */
function readAsked([text = '', name]: readonly string[]): Asked {
  const slash = text.indexOf('/');
  if (slash < 0 && name === undefined) return { resource: text };
  if (slash < 0 && name !== undefined && name !== '') return { resource: text, name };
  const inPair = text.slice(slash + 1);
  if (slash < 1 || name !== undefined || inPair === '' || inPair.includes('/'))
    throw new UsageError('name one resource, such as persons, or one object, such as persons ada');
  return { resource: text.slice(0, slash), name: inPair };
}

/**
 * The group and plural of a model, or of an endpoint that is named with its group.
 * @throws ServiceError `NotFound` for neither, `BadRequest` for an ambiguous name
 */
async function findPlace(text: string, remote: Remote | undefined, flags: Flags, io: CliIo): Promise<Place> {
  const [plural = '', ...rest] = text.split('.');
  const group = rest.join('.');
  try {
    return await withVerbs(openForReading(flags, io), async (verbs) =>
      resolveResource(await verbs.resources(text), text),
    );
  } catch (error) {
    if (remote === undefined || group === '' || !hasCode(error, 'NotFound', 'Forbidden')) throw error;
    const isServed = await hasEndpoint(remote, { group, plural });
    if (isServed === false) throw error;
    if (isServed === undefined)
      io.stderr.line(`warning: whether ${text} exists is unknown, as the user may not read /v3/api-docs`);
    return { group, plural };
  }
}

/**
 * True when a service describes an endpoint `/apis/<group>/<version>/<plural>`; undefined when the user may not read the
 * description.
 */
async function hasEndpoint(remote: Remote, { group, plural }: Place): Promise<boolean | undefined> {
  const { RemoteTransport } = await import('../../../client/remote-transport.js');
  try {
    const { body } = await new RemoteTransport(remote.url, remote).request('/v3/api-docs');
    const paths = isRecord(body) && isRecord(body.paths) ? Object.keys(body.paths) : [];
    return paths.some((path) => {
      const [, root, itsGroup, , resource] = path.split('/');
      return root === 'apis' && itsGroup === group && resource === plural;
    });
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return undefined;
    throw error;
  }
}
