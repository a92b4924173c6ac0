import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM } from '../../helpers/daemon.js';
import { type Client, ENTRIES, SHELVES } from './clients.js';
import type { Item, Outcome } from './history.js';
import { bodyOf } from './models.js';

const PAUSE_MS = 500;
const ITEMS_MAX = 4;
/** A command that hangs is killed, which leaves its outcome open. */
const COMMAND_MS = 60_000;

/** Exit codes that say that nothing was stored: conflict, invalid. */
const REFUSED = ['4', '5'];

/** Faults for commands. */
const FATES = ['nothing', 'nothing', 'kill', 'kill', 'stop', 'stop and kill'] as const;
type Fate = (typeof FATES)[number];

/** The last command that ended by itself, in milliseconds: others are killed at any moment of such a time. */
let usualMs = 1_000;

/** Writes some entries by `apply` or `import` in a separate process, which may be killed or stopped. */
export async function command(client: Client): Promise<void> {
  const { world, random } = client;
  await sleep(random.below(PAUSE_MS));
  if (world.phase !== 'storm') return;
  const names = new Set(random.many(1, ITEMS_MAX, () => `e${random.below(ENTRIES)}`));
  const contents = [...names].map((name) => ({
    name,
    content: { mark: client.mark(), shelf: random.pick(SHELVES) },
  }));
  const file = path.join(world.directory, `${client.name}.ndjson`);
  const lines = contents.map(({ name, content }) => JSON.stringify(bodyOf('Entry', name, content)));
  writeFileSync(file, lines.join('\n'));
  const verb = random.pick(['apply', 'import'] as const);
  const fate = random.pick(FATES);
  const [momentMs, stopMs] = [random.next() * 1.2 * usualMs, 200 + random.below(2_000)];
  const began = performance.now();
  const answer = await run([verb, '-f', file, ...world.commandFlags], { fate, momentMs, stopMs });
  const ended = performance.now();
  if (fate === 'nothing') usualMs = ended - began;
  const items: Item[] = contents.map(({ name, content: { mark } }) => ({ kind: 'Entry', name, mark }));
  const isAtomic = verb === 'apply' && world.commandFlags.includes('--data-dir');
  const call = { client: client.name, verb, items, isAtomic, began, ended, answer };
  world.history.write({ ...call, outcome: outcomeOf(answer, isAtomic) });
}

function outcomeOf(answer: string, isAtomic: boolean): Outcome {
  if (answer === '0') return 'done';
  return isAtomic && REFUSED.includes(answer) ? 'refused' : 'unsure';
}

interface Doom {
  readonly fate: Fate;
  readonly momentMs: number;
  readonly stopMs: number;
}

/** @returns its exit code, or the signal that ended it */
async function run(args: readonly string[], { fate, momentMs, stopMs }: Doom): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: 'ignore' });
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(String(code ?? signal)));
  });
  const late = setTimeout(() => child.kill('SIGKILL'), COMMAND_MS);
  if (fate !== 'nothing') {
    await Promise.race([ended, sleep(momentMs)]);
    if (fate !== 'kill') {
      child.kill('SIGSTOP');
      await sleep(stopMs);
      child.kill(fate === 'stop' ? 'SIGCONT' : 'SIGKILL');
    } else child.kill('SIGKILL');
  }
  const answer = await ended;
  clearTimeout(late);
  return answer;
}
