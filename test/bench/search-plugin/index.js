/** The models of test/bench/search.mjs: the same objects with a text index and without one. */
import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';

const GROUP = { group: 'search.example.com', version: 'v1alpha1' };
const text = { type: 'string' };
const schema = {
  type: 'object',
  required: ['spec'],
  properties: { spec: { type: 'object', properties: { title: text, body: text } } },
};

class Note extends AbstractExtension {
  static schema = schema;
}
GVK({ ...GROUP, kind: 'Note', plural: 'notes', singular: 'note' })(Note);

class Plain extends AbstractExtension {
  static schema = schema;
}
GVK({ ...GROUP, kind: 'Plain', plural: 'plains', singular: 'plain' })(Plain);

export default class SearchPlugin extends BasePlugin {
  start() {
    const { schemeManager } = this.ctx;
    schemeManager.register(Plain);
    schemeManager.register(Note, (specs) => {
      specs.add(IndexSpecs.text('search').indexFunc(({ spec }) => [spec.title, spec.body]));
    });
  }
}
