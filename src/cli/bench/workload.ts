import path from 'node:path';
import { OWN_DIRECTORY } from '../package-files.js';

/** The path of the benchmark's objects. */
export const RECORDS = '/apis/bench.example.com/v1/records';

/** The plugin of the benchmark: a model with four indexes. */
export const PLUGIN = path.join(OWN_DIRECTORY, 'templates/bench');

export function recordName(n: number): string {
  return `record-${String(n).padStart(8, '0')}`;
}

const EPOCH = Date.parse('2030-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;

/** The n-th object as JSON, about 400 bytes: four indexed fields, three labels. */
export function recordJson(n: number): string {
  return JSON.stringify({
    apiVersion: 'bench.example.com/v1',
    kind: 'BenchRecord',
    metadata: {
      name: recordName(n),
      labels: { team: `team-${n % 20}`, region: `region-${n % 5}`, stage: n % 3 === 0 ? 'live' : 'test' },
    },
    spec: {
      title: `Title of record ${n}`,
      owner: `owner-${n % 1000}`,
      priority: n % 100,
      due: new Date(EPOCH + (n % 10_000) * HOUR_MS).toISOString(),
      note: 'What somebody wrote about it, as long as such notes are. '.repeat(2),
    },
  });
}
