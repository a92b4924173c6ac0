/**
 * Persons: the plugin to copy first.
 *
 *   plugin.yaml        who the plugin is
 *   index.ts           its main class: says which models there are, and which fields of theirs can be searched
 *   person.ts          the model: its fields, and what they may hold
 *   endpoints.ts       what it serves beyond create, read, update and delete
 *   extensions/*.yaml  objects that every start creates or overwrites
 *
 * Once the service runs, try:
 *
 *   xsvc get persons
 *   xsvc list persons --field-selector 'spec.tags=climbing' --sort spec.age,desc
 *   curl 'http://127.0.0.1:8090/apis/demo.example.com/v1alpha1/persons?labelSelector=demo.example.com/team=red'
 */
import { BasePlugin, IndexSpecs } from 'xsvc';
import { Person } from './person.js';

/** Exported endpoints are found by themselves. */
export { OwnAddress, PersonCards, PersonSearch } from './endpoints.js';

export default class PersonPlugin extends BasePlugin {
  override start(): void {
    this.ctx.schemeManager.register(Person, (specs) => {
      // A field can be searched and sorted by only when it has an index. The name of the index is what a
      // selector calls the field: use the field's path.
      specs.add(IndexSpecs.single<Person, string>('spec.name', 'string').indexFunc((p) => p.spec.name));
      specs.add(IndexSpecs.single<Person, number>('spec.age', 'integer').indexFunc((p) => p.spec.age));
      specs.add(IndexSpecs.single<Person, string>('spec.gender', 'string').indexFunc((p) => p.spec.gender));
      // No two persons share an address for mail; persons without one are no conflict.
      specs.add(
        IndexSpecs.single<Person, string>('spec.email', 'string')
          .indexFunc((p) => p.spec.email)
          .unique(true),
      );
      // A person is found by each of the tags.
      specs.add(IndexSpecs.multi<Person, string>('spec.tags', 'string').indexFunc((p) => p.spec.tags ?? []));
    });
  }
}
