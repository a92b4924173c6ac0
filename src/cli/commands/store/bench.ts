import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getMessage } from '../../../errors.js';
import { parseDuration } from '../../../lib/time/duration.js';
import { isMet, type Figure } from '../../bench/figure.js';
import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { TableWriter } from '../../output/table.js';
import { refuseServer } from '../../remote/remote.js';
import { command } from '../../command.js';
import { format, text, withDefault, type CommandFlags } from '../../flags.js';

const OBJECTS_PER_SECOND = 10_000;
const OBJECTS_MAX = 100_000;

const FLAGS = {
  duration: withDefault(text('<duration>', 'duration of each load'), '10s'),
  output: withDefault(format(['table', 'json']), 'table'),
};

export const define = command({
  flags: FLAGS,
  notes: [
    'Starts a service on a temporary store with 10,000 objects per second of the duration (at most 100,000), puts load on',
    'it from this machine, and prints each figure with its target. Exits with 1 when a target is missed.',
    'CPU is the processor time that the service took for one request, imported object or received event.',
    'Figures are meaningful only on an otherwise idle machine.',
  ],
  examples: ['xsvc bench', 'xsvc bench --duration 2s -o json'],
  run: bench,
});

async function bench(flags: CommandFlags<typeof FLAGS>, io: CliIo): Promise<number> {
  refuseServer(flags, 'bench starts a temporary service, so it takes no --server');
  const durationMs = readDuration(flags.duration);
  const { figures } = await import('../../bench/figures.js');
  const directory = await mkdtemp(path.join(tmpdir(), 'xsvc-bench-'));
  const found: Figure[] = [];
  const signal = io.stopSignal();
  try {
    const objects = Math.min(OBJECTS_MAX, Math.ceil((durationMs / 1000) * OBJECTS_PER_SECOND));
    const onStep = (step: string): void => io.stderr.line(`${step} ...`);
    const given = { directory, durationMs, objects, signal, onStep };
    for await (const figure of figures(given)) found.push(figure);
  } catch (error) {
    // Any error that results from the stopped service.
    if (signal.aborted)
      throw new Error('interrupted: the service was stopped, and its directory removed', { cause: error });
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  const missed = found.filter((figure) => !isMet(figure));
  if (flags.output === 'json') {
    const results = found.map((figure) => ({ ...figure, met: isMet(figure) }));
    io.stdout.write(`${JSON.stringify({ durationMs, figures: results }, undefined, 2)}\n`);
  } else {
    io.stdout.write(getTable(found));
  }
  if (missed.length > 0) io.stderr.line(`${missed.length} of ${found.length} targets were missed`);
  return missed.length > 0 ? EXIT.failed : EXIT.done;
}

function readDuration(text: string): number {
  let ms: number;
  try {
    ms = parseDuration(text);
  } catch (error) {
    throw new UsageError(`--duration: ${getMessage(error)}`);
  }
  if (ms < 100) throw new UsageError('--duration must be at least 100ms');
  return ms;
}

function getTable(figures: readonly Figure[]): string {
  const titles = ['FIGURE', 'VALUE', 'OBJECTIVE', 'MET', 'CPU', 'NOTE'];
  const table = new TableWriter({ titles, header: true, columns: undefined });
  for (const figure of figures) {
    const { what, value, unit, objective, cpuMicros = NaN, note = '' } = figure;
    const wanted =
      'least' in objective ? `at least ${number(objective.least)}` : `at most ${number(objective.most)}`;
    const cpu = Number.isNaN(cpuMicros) ? '' : `${number(cpuMicros)} us`;
    table.add([what, `${number(value)} ${unit}`, wanted, isMet(figure) ? 'yes' : 'no', cpu, note]);
  }
  return table.flush();
}

/** Formats a number with its significant digits. */
function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
