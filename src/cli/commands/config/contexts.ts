import { notFound, ServiceError } from '../../../errors.js';
import { suggest, didYouMean } from '../../../lib/suggest.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit.js';
import { format, withDefault, type CommandFlags, type GlobalFlags } from '../../flags.js';
import type { CliIo } from '../../io.js';
import { NONE } from '../../output/columns.js';
import { printTable } from '../../output/table.js';
import { changeContexts, readContexts, type SavedContexts } from '../../remote/contexts.js';
import { HEADERS } from '../shared.js';

const ONE_CONTEXT = { '<name>': 'name of the context' };
const LIST_FLAGS = { output: withDefault(format(['table', 'name']), 'table'), ...HEADERS };

export const getContexts = command({
  summary: 'Print the contexts, without their tokens',
  flags: LIST_FLAGS,
  examples: ['xsvc config get-contexts', 'xsvc config get-contexts -o name'],
  run: list,
});

export const currentContext = command({
  summary: 'Print the name of the current context',
  description: 'Prints the name of the current context. Exits with 3 when there is none.',
  examples: ['xsvc config current-context'],
  run: printCurrent,
});

export const useContext = command({
  summary: 'Make a context the current one',
  args: ONE_CONTEXT,
  examples: ['xsvc config use-context prod'],
  run: use,
});

export const deleteContext = command({
  summary: 'Delete a context',
  args: ONE_CONTEXT,
  examples: ['xsvc config delete-context prod'],
  run: remove,
});

async function list(flags: CommandFlags<typeof LIST_FLAGS>, io: CliIo): Promise<number> {
  const { current, byName } = await readContexts(io);
  const contexts = [...byName.values()];
  if (flags.output === 'name') for (const { name } of contexts) io.stdout.line(name);
  else if (contexts.length === 0) io.stderr.line('no contexts; create one with xsvc config set-context');
  else {
    const rows = contexts.map(({ name, server, namespace = NONE }) => [
      name === current ? '*' : '',
      name,
      server,
      namespace,
    ]);
    await printTable(io, rows, ['CURRENT', 'NAME', 'SERVER', 'NAMESPACE'], flags);
  }
  return EXIT.done;
}

async function printCurrent(_flags: GlobalFlags, io: CliIo): Promise<number> {
  const { current } = await readContexts(io);
  if (current === undefined) throw notFound('no context is current; choose one with xsvc config use-context');
  io.stdout.line(current);
  return EXIT.done;
}

async function use(_flags: GlobalFlags, io: CliIo, [name = '']: readonly string[]): Promise<number> {
  const { byName } = await changeContexts(io, (contexts) => {
    if (!contexts.byName.has(name)) throw noContext(name, contexts);
    return { ...contexts, current: name };
  });
  io.stdout.line(`context "${name}" is the current one: ${byName.get(name)?.server ?? ''}`);
  return EXIT.done;
}

async function remove(_flags: GlobalFlags, io: CliIo, [name = '']: readonly string[]): Promise<number> {
  const { wasCurrent } = await changeContexts(io, (contexts) => {
    const byName = new Map(contexts.byName);
    if (!byName.delete(name)) throw noContext(name, contexts);
    const isCurrent = contexts.current === name;
    return { byName, current: isCurrent ? undefined : contexts.current, wasCurrent: isCurrent };
  });
  io.stdout.line(`context "${name}" deleted`);
  if (wasCurrent)
    io.stderr.line('it was the current one; commands work on the local store until use-context');
  return EXIT.done;
}

function noContext(name: string, { byName }: SavedContexts): ServiceError {
  return notFound(`no context "${name}"${didYouMean(suggest(name, byName.keys()))}`);
}
