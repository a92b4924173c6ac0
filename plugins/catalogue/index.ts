/**
 * A software catalogue: what a larger model looks like. It shows indexes of numbers and of lists, columns for
 * the table, and what to do when real names break the rules for `metadata.name`.
 *
 *   xsvc list packages --field-selector 'spec.section=editors' --sort spec.installedSize,desc
 *   xsvc list packages --field-selector 'spec.depends=libc6,spec.priority in (required,important)'
 */
import { BasePlugin, IndexSpecs } from 'xsvc';
import { Package } from './package.js';

/** Exported components are found by themselves: what keeps every package's `status`, and the endpoints. */
export { PackageReconciler } from './package-reconciler.js';
export { CatalogueConsole, Dependents, Favourites } from './endpoints.js';

export default class CataloguePlugin extends BasePlugin {
  override start(): void {
    this.ctx.schemeManager.register(Package, (specs) => {
      specs.add(
        IndexSpecs.single<Package, string>('spec.packageName', 'string').indexFunc((p) => p.spec.packageName),
      );
      specs.add(
        IndexSpecs.single<Package, string>('spec.section', 'string').indexFunc((p) => p.spec.section),
      );
      specs.add(
        IndexSpecs.single<Package, string>('spec.priority', 'string').indexFunc((p) => p.spec.priority),
      );
      specs.add(
        IndexSpecs.single<Package, string>('spec.maintainer', 'string').indexFunc((p) => p.spec.maintainer),
      );
      // 64 bits; `sort=spec.installedSize` without a direction begins with the largest.
      specs.add(
        IndexSpecs.single<Package, number>('spec.installedSize', 'long')
          .indexFunc((p) => p.spec.installedSize)
          .order('DESC'),
      );
      specs.add(
        IndexSpecs.multi<Package, string>('spec.depends', 'string').indexFunc((p) => p.spec.depends ?? []),
      );
      specs.add(IndexSpecs.multi<Package, string>('spec.tags', 'string').indexFunc((p) => p.spec.tags ?? []));
    });
  }
}
