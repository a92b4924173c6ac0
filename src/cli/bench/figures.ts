import { stat, writeFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import path from 'node:path';
import type { Bench, Figure } from './figure.js';
import { middle } from './load.js';
import { bareNodeMs, cpuMicros, runProgram, startService } from './processes.js';
import { rows } from './rows.js';
import { PLUGIN, recordJson } from './workload.js';

/** Runs the measurements one after the other, each against a service in a separate process. */
export async function* figures(bench: Bench): AsyncGenerator<Figure> {
  const dataDir = path.join(bench.directory, 'data');
  const flags = ['--data-dir', dataDir, '--plugins', PLUGIN];
  yield* filling(bench, flags, dataDir);
  yield await starting(bench, flags);
  const service = await startService(flags, bench.signal);
  try {
    for (const { run, ...row } of rows({ ...bench, service })) {
      bench.onStep(row.what);
      const measured = await run();
      // The system may not report it.
      if (!Number.isNaN(measured.value)) yield { ...row, ...measured };
    }
  } finally {
    await service.stop();
  }
}

async function* filling(bench: Bench, flags: readonly string[], dataDir: string): AsyncGenerator<Figure> {
  const { objects, directory, signal } = bench;
  bench.onStep(`importing ${objects} objects`);
  const file = path.join(directory, 'records.ndjson');
  await writeFile(file, Array.from({ length: objects }, (_, n) => `${recordJson(n)}\n`).join(''));
  const [begun, cpu] = [performance.now(), await cpuMicros('self')];
  await runProgram(['import', '-f', file, ...flags], signal);
  const value = (objects * 1000) / (performance.now() - begun);
  const what = `import of ${objects} objects, the whole command`;
  const each = ((await cpuMicros('self')) - cpu) / objects;
  yield { what, value, unit: 'objects/s', objective: { least: 4_000 }, cpuMicros: each };
  const { size } = await stat(path.join(dataDir, 'data.mdb'));
  const bytes = size / objects;
  yield { what: 'size of the store', value: bytes, unit: 'bytes/object', objective: { most: 4_000 } };
}

async function starting(bench: Bench, flags: readonly string[]): Promise<Figure> {
  bench.onStep('starting the service');
  const [ours, theirs, cpu]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < 3; round += 1) {
    theirs.push(await bareNodeMs());
    const begun = performance.now();
    const service = await startService(flags, bench.signal);
    ours.push(performance.now() - begun);
    cpu.push(await cpuMicros(service.pid));
    await service.stop();
  }
  const ms = middle(ours);
  const what = 'time until serve is ready, compared with `node -e 0`';
  const [value, note] = [ms / middle(theirs), `${ms.toFixed(0)} ms`];
  return { what, value, unit: 'times', objective: { most: 10 }, cpuMicros: middle(cpu), note };
}
