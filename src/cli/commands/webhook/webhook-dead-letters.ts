import type { Column } from '../../../model/resource.js';
import type { JsonObject } from '../../../model/object.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { columnCells } from '../../output/columns.js';
import { printValue } from '../../output/objects.js';
import { printTable } from '../../output/table.js';
import { findRemote } from '../../remote/remote.js';
import { command } from '../../command.js';
import { format, withDefault, type CommandFlags } from '../../flags.js';
import { HEADERS } from '../shared.js';
import { API_VERSION, onStore } from './webhook-access.js';

const COLUMNS: readonly Column[] = [
  { name: 'Revision', jsonPath: '.resourceVersion', type: 'string' },
  { name: 'Type', jsonPath: '.type', type: 'string' },
  { name: 'Kind', jsonPath: '.kind', type: 'string' },
  { name: 'Object', jsonPath: '.name', type: 'string' },
  { name: 'Attempts', jsonPath: '.attempts', type: 'integer' },
  { name: 'Last-attempt', jsonPath: '.lastTime', type: 'date' },
  { name: 'Last-error', jsonPath: '.lastError', type: 'string' },
];

const FLAGS = { output: withDefault(format(['table', 'json', 'yaml']), 'table'), ...HEADERS };
type Flags = CommandFlags<typeof FLAGS>;

export const webhookDeadLetters = command({
  description: 'Print the changes that a webhook has given up, oldest first',
  args: { '<name>': 'name of the webhook' },
  flags: FLAGS,
  examples: ['xsvc webhook deadletters orders', 'xsvc webhook deadletters orders -o yaml'],
  run,
});

async function run(flags: Flags, io: CliIo, [name = '']: readonly string[]): Promise<number> {
  const letters = await readLetters(name, flags, io);
  if (flags.output !== 'table') {
    const head = { apiVersion: API_VERSION, kind: 'DeadLetterList', metadata: {} };
    await printValue(io, { ...head, items: letters }, flags.output);
    return EXIT.done;
  }
  const cells = columnCells(COLUMNS, Date.now());
  const rows = letters.map((letter) => cells.map((cell) => cell(letter)));
  const titles = COLUMNS.map(({ name: title }) => title.toUpperCase());
  if (letters.length === 0) io.stderr.line('no dead letters');
  else await printTable(io, rows, titles, flags);
  return EXIT.done;
}

async function readLetters(name: string, flags: Flags, io: CliIo): Promise<readonly JsonObject[]> {
  const remote = await findRemote(flags, io);
  if (remote === undefined) {
    const { deadLetters } = await import('../../../webhooks/requests.js');
    return onStore('webhook deadletters', flags, io, (service) =>
      everyPage((token) => deadLetters(service, name, token)),
    );
  }
  const { remoteDeadLetters } = await import('../../../client/webhooks.js');
  return everyPage((token) => remoteDeadLetters(remote.url, name, token, remote));
}

interface Page {
  readonly items: readonly object[];
  readonly continue?: string;
}

async function everyPage(read: (token?: string) => Promise<Page>): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  let token: string | undefined;
  do {
    const page = await read(token);
    for (const item of page.items) all.push({ ...item });
    token = page.continue;
  } while (token !== undefined);
  return all;
}
