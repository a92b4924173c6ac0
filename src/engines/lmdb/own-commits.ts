import path from 'node:path';

/** The commits of this process on one store. */
interface OwnCommits {
  /** Those that have begun. */
  count: number;
  /** Begins as soon as there is none. */
  readonly waiting: (() => void)[];
}

/** By directory. */
const commits = new Map<string, OwnCommits>();

/** Notes a commit that begins now, until it ends. @returns the commit */
export function noteCommit<T>(directory: string, commit: Promise<T>): Promise<T> {
  const key = path.resolve(directory);
  const own = commits.get(key) ?? { count: 0, waiting: [] };
  commits.set(key, own);
  own.count += 1;
  const end = (): void => {
    own.count -= 1;
    while (own.count === 0 && own.waiting.length > 0) own.waiting.shift()?.();
    if (own.count === 0) commits.delete(key);
  };
  commit.then(end, end);
  return commit;
}

/**
 * Opens an environment or a database for writing, which takes the lock of writers, when no commit of this process has it. A thread
 * keeps the lock until the bodies of its commit have run in the event loop, which would wait for the lock for ever.
 */
export function betweenCommits<T>(directory: string, open: () => T): Promise<T> {
  const own = commits.get(path.resolve(directory));
  return new Promise((resolve, reject) => {
    const run = (): void => {
      try {
        resolve(open());
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    if (own === undefined) run();
    else own.waiting.push(run);
  });
}

/** Runs code as soon as no commit of this process runs in any store. An exit during a commit would wait for its thread for ever. */
export function betweenAllCommits(run: () => void): void {
  const entry = findRunning();
  if (entry === undefined) run();
  else entry.waiting.push(() => betweenAllCommits(run));
}

export const isCommitting = (): boolean => findRunning() !== undefined;

function findRunning(): OwnCommits | undefined {
  return [...commits.values()].find(({ count }) => count > 0);
}
