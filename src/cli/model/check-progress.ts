import type { Scheme } from '../../model/declare/scheme.js';
import type { CliIo } from '../io.js';
import { Progress } from '../output/progress.js';

/** Runs a plan, and prints the number of checked objects meanwhile. */
export function showingChecks<T>(
  io: CliIo,
  { resource }: Scheme,
  plan: (progress: (count: number, total: number) => void) => Promise<T>,
): Promise<T> {
  let progress: Progress | undefined;
  return plan((count, total) => {
    progress ??= new Progress(io.stderr, `${resource.plural}: checked`, total);
    progress.show(count);
  }).finally(() => progress?.clear());
}
