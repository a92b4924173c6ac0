import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;
/** The step of {@link useNow}. */
const STEP_MS = 5_000;

/** One timer for everything that is displayed, however much that is. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let nowMs = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => listeners.forEach((one) => one()), TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Constant within a tick, because React compares what is read twice. */
function getNow(): number {
  const time = Date.now();
  if (time - nowMs >= TICK_MS || time < nowMs) nowMs = time;
  return nowMs;
}

/** A text or number that depends on the current time. Only a change of it renders again. */
export function useAtNow<T extends string | number>(read: (nowMs: number) => T): T {
  const readNow = (): T => read(getNow());
  return useSyncExternalStore(subscribe, readNow, readNow);
}

/** The current time in steps of some seconds. */
export function useNow(): number {
  return useAtNow((now) => Math.floor(now / STEP_MS) * STEP_MS);
}
