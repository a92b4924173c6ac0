import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from '../../src/store/engine.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { parsePostgresAddress } from '../../src/engines/postgres/address.js';
import { openPostgresLog } from '../../src/engines/postgres/log.js';
import { openReplicated } from '../../src/engines/replicated/engine.js';
import { Overlay } from '../../src/store/overlay.js';
import { etcdLogAt } from './etcd-log.js';
import { MemoryLog, MemoryServer } from './memory-log.js';

/**
 * Which engine tests of the rooms above run on: LMDB; one that runs each commit body twice, as any engine may; a replica
 * of a log in memory; or one of a log in PostgreSQL or etcd, whose address the environment has.
 */
const TEST_ENGINES = ['lmdb', 'twice', 'replicated', 'postgres', 'etcd'] as const;
type TestEngine = (typeof TEST_ENGINES)[number];

/** The one that the environment names. */
export const TEST_ENGINE = engineOf(process.env['TEST_ENGINE'] ?? 'lmdb');

function engineOf(name: string): TestEngine {
  const found = TEST_ENGINES.find((one) => one === name);
  if (found === undefined) throw new Error(`TEST_ENGINE=${name}: must be one of ${TEST_ENGINES.join(', ')}`);
  return found;
}

const servers = new Map<string, MemoryServer>();

/** Opens the engine that tests run on. Those opened for one directory share what is stored. */
export async function openTestEngine(directory: string): Promise<Engine> {
  switch (TEST_ENGINE) {
    case 'lmdb':
      return openLmdb(directory);
    case 'twice':
      return runningTwice(await openLmdb(directory));
    case 'replicated': {
      const server = servers.get(directory) ?? new MemoryServer();
      servers.set(directory, server);
      return openReplicated(new MemoryLog(server), replicaIn(directory));
    }
    case 'postgres': {
      const schema = `test_${createHash('md5').update(directory).digest('hex')}`;
      const address = parsePostgresAddress(`${process.env['TEST_POSTGRES'] ?? ''}?schema=${schema}`);
      const log = await openPostgresLog(address, { timeoutMs: 20_000, warn: () => undefined });
      return openReplicated(log, replicaIn(directory));
    }
    case 'etcd': {
      const prefix = createHash('md5').update(directory).digest('hex');
      const log = await etcdLogAt(`${process.env['TEST_ETCD'] ?? ''}/${prefix}`)();
      return openReplicated(log, replicaIn(directory));
    }
  }
}

function replicaIn(directory: string): string {
  return mkdtempSync(path.join(directory, 'replica-'));
}

function runningTwice(engine: Engine): Engine {
  return {
    get: (key, freshness) => engine.get(key, freshness),
    follow: (key, next) => engine.follow(key, next),
    snapshot: (freshness) => engine.snapshot(freshness),
    commit: (body, options) =>
      engine.commit((tx) => {
        try {
          body(new Overlay(tx));
        } catch {
          // The second run throws as well.
        }
        return body(tx);
      }, options),
    onOtherCommit: (listener) => engine.onOtherCommit(listener),
    writeProblem: () => engine.writeProblem(),
    countSetbacks: () => engine.countSetbacks(),
    clearDeadReaders: () => engine.clearDeadReaders(),
    foldLog: () => engine.foldLog(),
    sharedLog: () => engine.sharedLog(),
    close: () => engine.close(),
  };
}
