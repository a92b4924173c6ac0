const RUNS = 20;

/** CPU time that this process took until now, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * The least CPU time of some runs, in milliseconds. Other programs and the compiler of V8 only ever add to it, so that
 * one run that is fast shows what the work takes.
 * @param enough no further run is made once one took less
 */
export function leastCpuMs(run: () => void, { enough = 0 } = {}): number {
  let least = Infinity;
  for (let i = 0; i < RUNS && least >= enough; i++) {
    const before = cpuMs();
    run();
    least = Math.min(least, cpuMs() - before);
  }
  return least;
}
