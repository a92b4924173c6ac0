import { qualifiedPlural } from '../../model/resource.js';
import type { Manifest } from '../input/manifests.js';
import type { CliIo } from '../io.js';
import { counted } from '../output/counted.js';

/** Reports the migrations of an import and their numbers of objects. */
export class MigrationNotice {
  readonly #counts = new Map<string, Map<string, number>>();
  #hasRefused = false;

  constructor(
    private readonly io: Pick<CliIo, 'stderr'>,
    private readonly isDryRun: boolean,
  ) {}

  /** Counts an object that was written after these migrations. */
  add({ resource }: Manifest, ids: readonly string[]): void {
    const model = qualifiedPlural(resource);
    const counts = this.#counts.get(model) ?? new Map<string, number>();
    this.#counts.set(model, counts);
    const which = ids.join(', ');
    counts.set(which, (counts.get(which) ?? 0) + 1);
  }

  /** Notes that an object without a statement was refused after migrations. */
  refused(): void {
    this.#hasRefused = true;
  }

  finish(): void {
    const verb = this.isDryRun ? 'would go' : 'went';
    for (const [model, counts] of this.#counts)
      for (const [ids, count] of counts)
        this.io.stderr.line(`note: ${model}: ${counted(count, 'object')} ${verb} through ${ids}`);
    if (this.#hasRefused)
      this.io.stderr.line(
        'note: objects without a recorded migration are treated as older than all migrations; ' +
          'use --as-is to import them unchanged',
      );
  }
}
