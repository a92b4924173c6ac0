import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;
const SIZES = [86_400, 3_600, 60] as const;

/** One timer for all displayed ages; none while nothing is displayed. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Whole seconds, rounded towards zero to their largest unit. */
function rounded(seconds: number): number {
  const size = SIZES.find((one) => Math.abs(seconds) >= one) ?? 1;
  return Math.trunc(seconds / size) * size;
}

/** The age of a time in seconds, in whole units of the largest one. The component renders again only when that changes. */
export function useAge(timeMs: number): number {
  return useSyncExternalStore(subscribe, () => {
    const seconds = rounded((Date.now() - timeMs) / 1_000);
    return Object.is(seconds, Number.NaN) ? 0 : seconds;
  });
}

/** The current time, updated so that displayed times to an event shrink. */
export function useNow(): number {
  const second = useSyncExternalStore(subscribe, () => Math.floor(Date.now() / COARSE_MS));
  return second * COARSE_MS;
}

const COARSE_MS = 5_000;
