import { InvalidArgumentError } from 'commander';
import { getMessage } from '../../../errors.js';
import { parseDuration } from '../../../lib/time/duration.js';
import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { openForWriting, withVerbs } from '../../session.js';
import { command } from '../../command.js';
import { findRemote } from '../../remote/remote.js';
import { parsed, text, type CommandFlags } from '../../flags.js';

const FLAGS = {
  user: text('<name>', 'user of the token; created when missing (default: your own user)'),
  role: text('<name>', 'role to bind to the user'),
  ttl: parsed('<duration>', 'lifetime, like 30d or 12h (default: until it is deleted)', ttlFrom),
};

export const tokenCreate = command({
  summary: 'Create a token and print it once',
  description:
    'Creates a token and prints it. Only its SHA-256 is stored: if the token is lost, create a new one.',
  flags: FLAGS,
  notes: [
    'Without --user, the token is for the user of the token that the command uses. That needs a server, but no right.',
    'Such a token ends no later than the one that is used, except for one of an issuer (OpenID Connect).',
  ],
  examples: [
    'xsvc token create --user ci --role editor --ttl 30d',
    'TOKEN=$(xsvc token create --user ada)',
    'xsvc token create --ttl 90d --server https://xsvc.example.com:8090',
  ],
  run: create,
});

/** A hundred years; the limit of a lifetime. */
const TTL_DAYS_MAX = 36_500;

function ttlFrom(value: string): number {
  let ms: number;
  try {
    ms = parseDuration(value);
  } catch (error) {
    throw new InvalidArgumentError(getMessage(error));
  }
  if (ms > 0 && ms <= TTL_DAYS_MAX * 86_400_000) return ms;
  throw new InvalidArgumentError(`It must be more than 0 and at most ${TTL_DAYS_MAX}d.`);
}

async function create({ user, ...flags }: CommandFlags<typeof FLAGS>, io: CliIo): Promise<number> {
  return user === undefined ? createOwn(flags, io) : createFor(user, flags, io);
}

type OtherFlags = Omit<CommandFlags<typeof FLAGS>, 'user'>;

async function createFor(user: string, { role, ttl, ...flags }: OtherFlags, io: CliIo): Promise<number> {
  const { issueToken } = await import('../../../access/issue.js');
  const asked = { user, ...(role !== undefined && { role }), ...(ttl !== undefined && { ttlMs: ttl }) };
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const issued = await issueToken(verbs, asked, new Date());
    if (issued.isNewUser) io.stderr.line(`user "${user}" created`);
    if (issued.isNewBinding) io.stderr.line(`user "${user}" now has the role "${role ?? ''}"`);
    print(issued, io);
    return EXIT.done;
  });
}

async function createOwn({ role, ttl, ...flags }: OtherFlags, io: CliIo): Promise<number> {
  if (role !== undefined) throw new UsageError('--role also needs --user: nobody gives a role to itself');
  const remote = await findRemote(flags, io);
  if (remote === undefined)
    throw new UsageError('without --user, a token is for your own user at a server; use --server or --user');
  const { whoAmI } = await import('../../../client/reviews.js');
  const { ANONYMOUS } = await import('../../../model/system-users.js');
  const { username: name } = await whoAmI(remote.url, remote);
  if (name === ANONYMOUS)
    throw new UsageError(
      'the service asks for no token (--auth none), so you have no user there; use --user',
    );
  const { issueOwnToken } = await import('../../../access/issue.js');
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const asked = { user: name, ...(ttl !== undefined && { ttlMs: ttl }) };
    print(await issueOwnToken(verbs, asked, new Date()), io);
    return EXIT.done;
  });
}

function print(
  {
    token,
    id,
    expirationTimestamp,
  }: { readonly token: string; readonly id: string; readonly expirationTimestamp?: string },
  io: CliIo,
): void {
  const until = expirationTimestamp ?? 'it is deleted';
  io.stderr.line(`token ${id} is valid until ${until}; it is printed only once`);
  io.stdout.write(`${token}\n`);
}
