import type { SpaceUse } from '../../../src/store/engine.js';
import { openReplicated } from '../../../src/engines/replicated/engine.js';
import type { TestService } from '../../../src/testing/index.js';
import { MemoryLog, MemoryServer } from '../../engines/memory-log.js';
import { parseExposition, type Family } from '../../helpers/exposition.js';
import { serveBare } from '../../helpers/http.js';
import { openTestService, temporaryDirectory } from '../../helpers/store.js';

/** Of the process and of Node.js: what there is depends on the system. */
const OF_LINUX = [
  'process_heap_bytes',
  'process_max_fds',
  'process_open_fds',
  'process_virtual_memory_bytes',
];

/**
 * Each metric with its type and its labels; of those of Node.js itself, which its client library decides, the type.
 * @param service must have counted something of each metric
 */
export async function metricFacts(service: TestService): Promise<string[]> {
  const texts = [await metricsOnSharedStore(), await (await service.fetch('/metrics')).text()];
  const families = new Map(texts.flatMap((text) => [...parseExposition(text)]));
  return [...families.values()].filter(({ name }) => !OF_LINUX.includes(name)).map(factOf);
}

function factOf({ name, type, samples }: Family): string {
  if (!name.startsWith('xsvc_')) return `${name}: ${type}`;
  if (samples.length === 0) throw new Error(`nothing is counted of ${name}, so its labels are not seen`);
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
  labels.delete('le');
  const shown = labels.size === 0 ? '' : `, by ${[...labels].sort().join(', ')}`;
  return `${name}: ${type}${shown}`;
}

class BoundedLog extends MemoryLog {
  space(): SpaceUse {
    return { usedBytes: 0, quotaBytes: 1 };
  }
}

async function metricsOnSharedStore(): Promise<string> {
  const engine = await openReplicated(new BoundedLog(new MemoryServer()), temporaryDirectory());
  const { service } = await openTestService(temporaryDirectory(), {}, { engine });
  const server = await serveBare(service);
  const { text } = await server.get('/metrics');
  await server.close();
  await service.close();
  return text;
}
