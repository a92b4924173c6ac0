/** The model of test/bench/single-requests.mjs: a field for each thing that a client can send much of. */
import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';

const text = { type: 'string' };

class Thing extends AbstractExtension {
  static schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        properties: {
          anything: {},
          numbers: { type: 'array', items: { type: 'number' } },
          distinct: { type: 'array', uniqueItems: true },
          closed: { type: 'object', properties: { first: text, second: text } },
          map: { type: 'object', additionalProperties: { type: 'integer' } },
          rows: {
            type: 'array',
            items: { type: 'object', properties: { a: text, b: { type: 'integer', default: 1 } } },
          },
          code: { type: 'string', pattern: '^([a-z]+[0-9]*)+$' },
          link: { type: 'string', format: 'uri' },
          mail: { type: 'string', format: 'email' },
          tags: { type: 'array', items: text },
          tree: { $ref: '#/$defs/Tree' },
        },
      },
    },
    $defs: {
      Tree: {
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
      },
    },
  };
}

GVK({ group: 'bench.example.com', version: 'v1', kind: 'Thing', plural: 'things', singular: 'thing' })(Thing);

export default class ThingPlugin extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Thing, (specs) => {
      specs.add(IndexSpecs.multi('spec.tags', 'string').indexFunc((thing) => thing.spec.tags ?? []));
    });
  }
}
