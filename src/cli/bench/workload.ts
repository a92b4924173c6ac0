import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The path of the benchmark's objects. */
export const RECORDS = '/apis/bench.example.com/v1/records';

const MANIFEST = `apiVersion: plugin.platform.run/v1alpha1
kind: Plugin
metadata: { name: bench }
spec: { version: 1.0.0 }
`;

const MAIN = `import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';

const text = { type: 'string' };

class BenchRecord extends AbstractExtension {
  static schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['title', 'owner'],
        properties: {
          title: text,
          owner: text,
          priority: { type: 'integer' },
          due: { type: 'string', format: 'date-time' },
          note: text,
        },
      },
    },
  };
}
GVK({ group: 'bench.example.com', version: 'v1', kind: 'BenchRecord', plural: 'records', singular: 'record' })(BenchRecord);

export default class BenchPlugin extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(BenchRecord, (specs) => {
      specs.add(IndexSpecs.single('spec.title', 'string').indexFunc(({ spec }) => spec.title));
      specs.add(IndexSpecs.single('spec.owner', 'string').indexFunc(({ spec }) => spec.owner));
      specs.add(IndexSpecs.single('spec.priority', 'integer').indexFunc(({ spec }) => spec.priority));
      specs.add(IndexSpecs.single('spec.due', 'instant').indexFunc(({ spec }) => spec.due));
    });
  }
}
`;

/** Writes the plugin of the benchmark: a model with four indexes. @returns its directory */
export async function writePlugin(directory: string): Promise<string> {
  const plugin = path.join(directory, 'bench');
  await mkdir(plugin, { recursive: true });
  await writeFile(path.join(plugin, 'plugin.yaml'), MANIFEST);
  await writeFile(path.join(plugin, 'index.js'), MAIN);
  return plugin;
}

export function recordName(n: number): string {
  return `record-${String(n).padStart(8, '0')}`;
}

const EPOCH = Date.parse('2030-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;

/** The n-th object as JSON, about 400 bytes: four indexed fields, three labels. */
export function recordJson(n: number, name = recordName(n)): string {
  return JSON.stringify({
    apiVersion: 'bench.example.com/v1',
    kind: 'BenchRecord',
    metadata: {
      name,
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
