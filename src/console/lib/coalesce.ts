/** Resolves after a time, or as soon as the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

/** Combines many calls into few runs: one at a time, with a pause after each, and always one after the last call. */
export function coalesce(run: () => Promise<unknown>, pauseMs: number): () => void {
  const state = { isDue: false, isRunning: false };
  const loop = async (): Promise<void> => {
    state.isRunning = true;
    while (state.isDue) {
      state.isDue = false;
      await run().catch(() => undefined);
      await pause(pauseMs);
    }
    state.isRunning = false;
  };
  return () => {
    state.isDue = true;
    if (!state.isRunning) void loop();
  };
}
