import { splitFullName } from '../../model/full-name.js';
import { versionKey, type Resource } from '../../model/resource.js';
import { declaredKinds, isNamespaceModel } from '../input/definitions.js';
import type { Manifest } from '../input/manifests.js';
import type { CliIo } from '../io.js';
import { getSubject } from '../output/written.js';
import { printWarnings } from '../results.js';

/** Knows the manifests that only a write can check, because they depend on what the same files write before. */
export class Unchecked {
  readonly #served: Set<string>;
  readonly #newNamespaces = new Set<string>();

  /** @param served the models that are served now */
  constructor(served: readonly Resource[]) {
    this.#served = new Set(served.map(versionKey));
  }

  /** Notes an object that a dry run did not write. */
  note({ resource, name, value }: Manifest, verb: 'created' | 'configured' | 'unchanged'): void {
    if (verb === 'created' && isNamespaceModel(resource)) this.#newNamespaces.add(name);
    if (verb !== 'unchanged') for (const kind of declaredKinds(value)) this.#served.delete(versionKey(kind));
  }

  /** The manifests that can be checked; the others are named on stderr. */
  select(manifests: readonly Manifest[], io: CliIo): readonly Manifest[] {
    return manifests.filter((manifest) => {
      const reason = this.reason(manifest);
      if (reason !== undefined) printWarnings(io, getSubject(manifest.resource, manifest.name), [reason]);
      return reason === undefined;
    });
  }

  /** The reason why a manifest cannot be checked; undefined when it can be. */
  reason({ resource, name }: Manifest): string | undefined {
    if (!this.#served.has(versionKey(resource)))
      return `not checked: that needs the definition of ${resource.kind}, which is not written yet`;
    const { namespace = '' } = splitFullName(name);
    return this.#newNamespaces.has(namespace)
      ? `not checked: that needs the namespace ${namespace}, which is not written yet`
      : undefined;
  }
}
