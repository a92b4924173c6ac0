import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReplicated } from '../../src/engines/replicated/engine.js';
import { MemoryLog, MemoryServer } from '../engines/memory-log.js';
import { person, PERSONS, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

/** A log that announces nothing: a copy of it is as old as its last read of the log. */
class SilentLog extends MemoryLog {
  override onAppend(): () => void {
    return () => undefined;
  }
}

const log = new MemoryServer();
let writer: TestServer;
let reader: TestServer;

async function start(): Promise<TestServer> {
  return startTestServer({ engine: await openReplicated(new SilentLog(log), temporaryDirectory()) });
}

beforeAll(async () => {
  writer = await start();
  reader = await start();
});

afterAll(async () => {
  await writer.close();
  await reader.close();
  removeDirectories();
});

describe('a list over two daemons on one store', () => {
  const recent = encodeURIComponent('metadata.creationTimestamp > now - duration("1h")');

  it.each([
    ['', 'plain'],
    ['?sort=spec.age', 'sorted'],
    [`?filter=${recent}`, 'with the time of the request'],
    ['?explain=true', 'explained'],
  ])('has every object that was answered before it: %s', async (query, name) => {
    for (const i of [1, 2, 3]) {
      const created = await writer.send('POST', PERSONS, {
        body: person(`${name.replaceAll(' ', '-')}-${i}`),
      });
      expect(created.status).toBe(201);
      const { total } = (await writer.get(`${PERSONS}${query}`)).json();
      expect((await reader.get(`${PERSONS}${query}`)).json().total).toBe(total);
    }
  });
});
