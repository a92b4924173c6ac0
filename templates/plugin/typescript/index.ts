import { BasePlugin, IndexSpecs } from 'xsvc';
import { __Kind__ } from './__file__.js';

/** Exported controllers and endpoints are registered automatically. */
export { __Kind__Endpoint } from './__file__-endpoint.js';
export { __Kind__Reconciler } from './__file__-reconciler.js';

export default class __Kind__Plugin extends BasePlugin {
  override start(): void {
    this.ctx.schemeManager.register(__Kind__, (specs) => {
      // A field can be searched and sorted by only when it has an index, which is named like its path.
      specs.add(IndexSpecs.single<__Kind__, string>('spec.title', 'string').indexFunc((o) => o.spec.title));
      specs.add(IndexSpecs.multi<__Kind__, string>('spec.tags', 'string').indexFunc((o) => o.spec.tags ?? []));
    });
    // When the model changes, `xsvc model plan` shows what that means for existing objects. A second version, for
    // clients that know only the old one, and changes of stored objects are a third argument of register():
    //   {
    //     versions: [{ model: __Kind__V1alpha1, deprecated: 'use v1', up: (old) => now, down: (now) => old }],
    //     migrations: [{ id: '2026-11-title', up: (object) => object }],
    //   }
  }
}
