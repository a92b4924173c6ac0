import { InvalidArgumentError } from 'commander';
import { getMessage } from '../../../errors.js';
import { parseDuration } from '../../../lib/time/duration.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { openForWriting, withVerbs } from '../../session.js';
import { command } from '../../command.js';
import { parsed, required, text, type CommandFlags } from '../../flags.js';

const FLAGS = {
  user: required(text('<name>', 'user of the token; created when missing')),
  role: text('<name>', 'role to bind to the user'),
  ttl: parsed('<duration>', 'lifetime, like 30d or 12h (default: until it is deleted)', ttlFrom),
};

export const tokenCreate = command({
  summary: 'Create a token and print it once',
  description:
    'Creates a token and prints it. Only its SHA-256 is stored: if the token is lost, create a new one.',
  flags: FLAGS,
  examples: ['xsvc token create --user ci --role editor --ttl 30d', 'TOKEN=$(xsvc token create --user ada)'],
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

async function create({ user, role, ttl, ...flags }: CommandFlags<typeof FLAGS>, io: CliIo): Promise<number> {
  const { issueToken } = await import('../../../access/issue.js');
  const asked = { user, ...(role !== undefined && { role }), ...(ttl !== undefined && { ttlMs: ttl }) };
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const issued = await issueToken(verbs, asked, new Date());
    if (issued.isNewUser) io.stderr.write(`user "${user}" created\n`);
    if (issued.isNewBinding) io.stderr.write(`user "${user}" now has the role "${role ?? ''}"\n`);
    const until = issued.expirationTimestamp ?? 'it is deleted';
    io.stderr.write(`token ${issued.id} is valid until ${until}; it is printed only once\n`);
    io.stdout.write(`${issued.token}\n`);
    return EXIT.done;
  });
}
