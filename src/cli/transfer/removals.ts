import { isRecord, joinPath } from '../../lib/json/json.js';
import type { CliIo } from '../io.js';
import { counted } from '../output/counted.js';
import { getSubject } from '../output/written.js';
import type { Manifest } from '../input/manifests.js';

/** The limit of objects whose fields are listed; further ones are only counted. */
const NAMED_MAX = 10;
const PATHS_MAX = 5;

/** Paths of the members that an object has and its next state lacks, the outermost of each. Lists count as one value. */
export function removedPaths(before: unknown, after: unknown, at = ''): string[] {
  if (!isRecord(before) || !isRecord(after)) return [];
  return Object.keys(before).flatMap((key) => {
    const path = at === '' ? key : joinPath(at, key);
    return Object.hasOwn(after, key) ? removedPaths(before[key], after[key], path) : [path];
  });
}

/** Reports the members that an import will remove from existing objects. */
export class RemovalNotice {
  #objects = 0;

  constructor(
    private readonly io: Pick<CliIo, 'stderr'>,
    private readonly isDryRun: boolean,
  ) {}

  report({ resource, name }: Manifest, paths: readonly string[]): void {
    this.#objects += 1;
    if (this.#objects > NAMED_MAX) return;
    const shown = paths.slice(0, PATHS_MAX).join(', ');
    const more = paths.length > PATHS_MAX ? ` and ${paths.length - PATHS_MAX} more` : '';
    this.io.stderr.line(
      `warning: ${getSubject(resource, name)}: ${this.isDryRun ? 'would remove' : 'removes'} ` +
        `${shown}${more}, omitted by the file; use --merge to keep omitted fields`,
    );
  }

  /** Prints the rest before the summary. */
  finish(): void {
    const unnamed = this.#objects - NAMED_MAX;
    if (unnamed <= 0) return;
    this.io.stderr.line(`warning: the same for ${counted(unnamed, 'more object')}`);
  }
}
