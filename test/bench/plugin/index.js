/** The model of test/bench/postgres.mjs; its objects come from test/bench/items.mjs. */
import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';

const text = { type: 'string' };

class Item extends AbstractExtension {
  static schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['owner', 'section', 'size', 'active', 'time'],
        properties: {
          owner: text,
          section: text,
          size: { type: 'integer', format: 'int64', minimum: 0 },
          active: { type: 'boolean' },
          time: { type: 'string', format: 'date-time' },
          priority: text,
          title: text,
          description: text,
          links: { type: 'array', items: text },
        },
      },
    },
  };
}

GVK({
  group: 'bench.example.com',
  version: 'v1alpha1',
  kind: 'Item',
  plural: 'items',
  singular: 'item',
})(Item);

export default class BenchPlugin extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Item, (specs) => {
      specs.add(IndexSpecs.single('spec.owner', 'string').indexFunc((item) => item.spec.owner));
      specs.add(IndexSpecs.single('spec.section', 'string').indexFunc((item) => item.spec.section));
      specs.add(IndexSpecs.single('spec.size', 'long').indexFunc((item) => item.spec.size));
      specs.add(IndexSpecs.single('spec.active', 'boolean').indexFunc((item) => item.spec.active));
      specs.add(IndexSpecs.single('spec.time', 'instant').indexFunc((item) => item.spec.time));
      specs.add(IndexSpecs.single('spec.priority', 'string').indexFunc((item) => item.spec.priority));
    });
  }
}
