/**
 * Waits for work until a deadline. The work is not stopped: a function that ignores signals cannot be stopped.
 * @param what the work's name, for the message
 * @throws Error when the time is over first, else any error of the work
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
