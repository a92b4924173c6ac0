const RUNS = 20;

/**
 * The least CPU time of some runs, in milliseconds. Other programs and the compiler of V8 only ever add to it, so that
 * one run that is fast shows what the work takes.
 * @param enough no further run is made once one took less
 */
export function leastCpuMs(run: () => void, { enough = 0 } = {}): number {
  let least = Infinity;
  for (let i = 0; i < RUNS && least >= enough; i++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}
