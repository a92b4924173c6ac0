/**
 * Waits for work, but not for ever. The work is not stopped: nothing can stop a function that does not listen.
 * @param what the work's name, for the message
 * @throws Error when the time is over first, else whatever the work throws
 */
export async function withDeadline<T>(what: string, ms: number, work: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not end within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([Promise.resolve().then(work), late]);
  } finally {
    clearTimeout(timer);
  }
}
