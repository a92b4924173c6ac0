import {
  addFinalizers,
  isDeleted,
  Queries,
  removeFinalizers,
  type Controller,
  type ControllerBuilder,
  type PluginContext,
  type Reconciler,
  type Request,
} from 'xsvc';
import { Package, type PackageStatus } from './package.js';

/** While others depend on a package it is not reclaimed: it stays, marked as deleted. */
export const IN_USE = 'catalogue.example.com/in-use';

/** Changes of one package are news for its neighbours; what comes within this time is looked at once. */
const NEIGHBOURS_MS = 100;

/**
 * Keeps `status` true: how many packages depend on this one, which of its dependencies the catalogue does not
 * have, and whether it can be installed. Holds a finalizer while others depend on a package.
 */
export class PackageReconciler implements Reconciler {
  readonly #ctx: PluginContext;
  /** Real names of packages that came or went: those that depend on them are to be looked at. */
  readonly #appeared = new Set<string>();
  /** Real names of packages that more or fewer depend on. */
  readonly #needed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ctx: PluginContext) {
    this.#ctx = ctx;
    ctx.signal.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  setupWith(builder: ControllerBuilder): Controller {
    return builder
      .extension(Package)
      .onAddMatcher((added) => this.#comesOrGoes(added))
      .onUpdateMatcher((now, old) => differs(now, old) && this.#needs(now, old))
      .onDeleteMatcher((gone) => this.#comesOrGoes(gone))
      .workerCount(4)
      .build();
  }

  async reconcile({ name }: Request): Promise<void> {
    const found = await this.#ctx.client.fetch(Package, name);
    if (found === undefined) return;
    const status = await this.#statusOf(found);
    const before = JSON.stringify([found.status, found.metadata.finalizers]);
    // The finalizer comes and goes with the first and the last package that depends on this one. While a package
    // is being deleted none can be added.
    if (status.dependents === 0) removeFinalizers(found, IN_USE);
    else if (!isDeleted(found)) addFinalizers(found, IN_USE);
    found.status = status;
    if (JSON.stringify([found.status, found.metadata.finalizers]) === before) return;
    // Somebody may have written since: then the update is a conflict, and this runs again on the new state.
    await this.#ctx.client.update(found);
  }

  async #statusOf({ spec }: Package): Promise<PackageStatus> {
    const { client } = this.#ctx;
    const depends = spec.depends ?? [];
    const dependents = await client.count(Package, {
      query: Queries.equal('spec.depends', spec.packageName),
    });
    const known = new Set<string>();
    if (depends.length > 0) {
      const { items } = await client.list(Package, { query: Queries.in('spec.packageName', depends) });
      for (const item of items) known.add(item.spec.packageName);
    }
    const unresolved = depends.filter((dependency) => !known.has(dependency));
    return { dependents, unresolved, health: unresolved.length === 0 ? 'Installable' : 'Incomplete' };
  }

  /** Always true, as the answer of a matcher. A crash loses these names; the sync at the start reads every package. */
  #comesOrGoes(subject: Package): true {
    this.#appeared.add(subject.spec.packageName);
    return this.#needs(subject);
  }

  #needs(...packages: readonly Package[]): true {
    for (const { spec } of packages) for (const name of spec.depends ?? []) this.#needed.add(name);
    this.#visitSoon();
    return true;
  }

  #visitSoon(): void {
    if (this.#ctx.signal.aborted) return;
    this.#timer ??= setTimeout(() => void this.#visitNeighbours(), NEIGHBOURS_MS);
  }

  async #visitNeighbours(): Promise<void> {
    const { client, logger, signal } = this.#ctx;
    const round = [
      ...chunksOf(this.#appeared).map((names) => Queries.in('spec.depends', names)),
      ...chunksOf(this.#needed).map((names) => Queries.in('spec.packageName', names)),
    ];
    this.#appeared.clear();
    this.#needed.clear();
    this.#timer = undefined;
    for (const query of round) {
      for await (const { metadata, spec } of client.listAll(Package, { query })) {
        if (signal.aborted) return;
        try {
          await this.reconcile({ name: metadata.name });
        } catch (error) {
          // Somebody wrote it at the same time, say. It is looked at again with the next ones.
          logger.debug('a neighbour is looked at again', { package: spec.packageName, error: String(error) });
          this.#needed.add(spec.packageName);
          this.#visitSoon();
        }
      }
    }
  }
}

/** Values that one condition asks for. */
const CHUNK = 500;

function chunksOf(names: ReadonlySet<string>): string[][] {
  const all = [...names];
  return Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, i) =>
    all.slice(i * CHUNK, (i + 1) * CHUNK),
  );
}

/** True when a change is more than a write of this reconciler. */
function differs(now: Package, old: Package): boolean {
  return (
    now.metadata.generation !== old.metadata.generation ||
    JSON.stringify(now.metadata.finalizers) !== JSON.stringify(old.metadata.finalizers)
  );
}
