import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';

const text = { type: 'string' };

class BenchRecord extends AbstractExtension {
  static schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['title', 'owner'],
        properties: {
          title: text,
          owner: text,
          priority: { type: 'integer' },
          due: { type: 'string', format: 'date-time' },
          note: text,
        },
      },
    },
  };
}
GVK({ group: 'bench.example.com', version: 'v1', kind: 'BenchRecord', plural: 'records', singular: 'record' })(BenchRecord);

export default class BenchPlugin extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(BenchRecord, (specs) => {
      specs.add(IndexSpecs.single('spec.title', 'string').indexFunc(({ spec }) => spec.title));
      specs.add(IndexSpecs.single('spec.owner', 'string').indexFunc(({ spec }) => spec.owner));
      specs.add(IndexSpecs.single('spec.priority', 'integer').indexFunc(({ spec }) => spec.priority));
      specs.add(IndexSpecs.single('spec.due', 'instant').indexFunc(({ spec }) => spec.due));
    });
  }
}
