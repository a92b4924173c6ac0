import { expect, it } from 'vitest';
import type {
  CommitOptions,
  Engine,
  KeyRange,
  ScanOptions,
  Snapshot,
  Transaction,
} from '../../src/testing/index.js';
import { engineContract, MemoryEngine, MemoryStore } from '../../src/testing/index.js';

class ReadsWhatWasNotStored extends MemoryEngine {
  override get(): Buffer {
    return Buffer.from('7');
  }
}

/** An engine whose snapshots are changed. */
abstract class ChangedSnapshots extends MemoryEngine {
  protected abstract change(snapshot: Snapshot): Partial<Snapshot>;

  override snapshot(): Snapshot {
    const snapshot = super.snapshot();
    return Object.assign(snapshot, this.change(snapshot));
  }
}

class ScansFromOneEnd extends ChangedSnapshots {
  protected change(snapshot: Snapshot): Partial<Snapshot> {
    const scan = snapshot.scan.bind(snapshot);
    return { scan: (range: KeyRange, { limit }: ScanOptions) => scan(range, { limit }) };
  }
}

class ReadsNewestInSnapshots extends ChangedSnapshots {
  protected change(): Partial<Snapshot> {
    return { get: (key) => this.get(key) };
  }
}

class FollowsToItself extends MemoryEngine {
  override follow(key: Uint8Array): Buffer | undefined {
    return this.get(key);
  }
}

class StoresDryRuns extends MemoryEngine {
  override commit<T>(body: (tx: Transaction) => T): Promise<T> {
    return super.commit(body);
  }
}

class ForgetsCommits extends MemoryEngine {
  override commit<T>(body: (tx: Transaction) => T): Promise<T> {
    return super.commit(body, { dryRun: true });
  }
}

class StoresFailedBodies extends MemoryEngine {
  override async commit<T>(body: (tx: Transaction) => T, options?: CommitOptions): Promise<T> {
    const run = await super.commit((tx) => {
      try {
        const answer = body(tx);
        return () => answer;
      } catch (error) {
        return () => {
          throw error;
        };
      }
    }, options);
    return run();
  }
}

class AnnouncesNothing extends MemoryEngine {
  override onOtherCommit(): () => void {
    return () => undefined;
  }
}

/** Names of the tests that an engine fails. */
async function failures(make: (store: MemoryStore) => Engine): Promise<string[]> {
  const stores = new Map<string, MemoryStore>();
  const open = (name: string): Promise<Engine> => {
    const store = stores.get(name) ?? new MemoryStore();
    stores.set(name, store);
    return Promise.resolve(make(store));
  };
  const failed: string[] = [];
  for (const { name, run } of engineContract(open, 1_000)) await run().catch(() => failed.push(name));
  return failed;
}

it('an engine that keeps every promise passes the contract', async () => {
  expect(await failures((store) => new MemoryEngine(store))).toEqual([]);
});

it.each([
  ReadsWhatWasNotStored,
  ScansFromOneEnd,
  ReadsNewestInSnapshots,
  FollowsToItself,
  StoresDryRuns,
  ForgetsCommits,
  StoresFailedBodies,
  AnnouncesNothing,
])('an engine that breaks a promise fails the contract: %o', async (Broken) => {
  expect(await failures((store) => new Broken(store))).not.toEqual([]);
});
