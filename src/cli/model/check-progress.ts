import type { Scheme } from '../../model/declare/scheme.js';
import type { CliIo } from '../io.js';
import { Progress } from '../output/progress.js';

/** Runs a plan, and prints the number of checked objects meanwhile. */
export function showingChecks<T>(
  io: CliIo,
  { resource }: Scheme,
  plan: (progress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  let shown: Progress | undefined;
  return plan((done, total) => {
    shown ??= new Progress(io.stderr, `${resource.plural}: checked`, total);
    shown.show(done);
  }).finally(() => shown?.clear());
}
