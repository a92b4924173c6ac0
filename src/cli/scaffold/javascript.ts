import type { Files } from './files.js';
import type { ScaffoldNames } from './names.js';

/** The code of a new plugin in plain JavaScript. */
export function javascriptFiles({ kind, group, plural, singular }: ScaffoldNames): Files {
  return {
    'index.js': `import { AbstractExtension, BasePlugin, GVK, IndexSpecs, isDeleted, RouteBuilder } from 'xsvc';

/** Served under \`/apis/${group}/v1alpha1/${plural}\`. Users write \`spec\`, the controller writes \`status\`. */
export class ${kind} extends AbstractExtension {
  static schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['title'],
        properties: {
          title: { type: 'string', minLength: 1, maxLength: 100 },
          text: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
        },
        'x-kubernetes-validations': [
          {
            rule: '!has(self.text) || self.text != self.title',
            message: 'must say more than the title',
            fieldPath: '.text',
          },
        ],
      },
      status: {
        type: 'object',
        properties: {
          phase: { type: 'string' },
          words: { type: 'integer', minimum: 0, description: 'Words of the text' },
        },
      },
    },
  };

  /** The columns of \`xsvc get ${plural}\`. */
  static columns = [
    { name: 'Title', jsonPath: '.spec.title', type: 'string' },
    { name: 'Words', jsonPath: '.status.words', type: 'integer' },
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
  ];
}

GVK({ group: '${group}', version: 'v1alpha1', kind: '${kind}', plural: '${plural}', singular: '${singular}' })(${kind});

export default class ${kind}Plugin extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(${kind}, (specs) => {
      // A field can be searched and sorted by only when it has an index, which is named like its path.
      specs.add(IndexSpecs.single('spec.title', 'string').indexFunc((o) => o.spec.title));
      specs.add(IndexSpecs.multi('spec.tags', 'string').indexFunc((o) => o.spec.tags ?? []));
    });
    // When the model changes, \`xsvc model plan\` shows what that means for existing objects. A second version, for
    // clients that know only the old one, and changes of stored objects are a third argument of register():
    //   {
    //     versions: [{ model: ${kind}V1alpha1, deprecated: 'use v1', up: (old) => now, down: (now) => old }],
    //     migrations: [{ id: '2026-11-title', up: (object) => object }],
    //   }
  }
}

/** Keeps \`status\` true. It gets only a name and reads the current object, so a repeated call does no harm. */
export class ${kind}Reconciler {
  constructor(ctx) {
    this.ctx = ctx;
  }

  setupWith(builder) {
    return builder.extension(${kind}).build();
  }

  async reconcile({ name }) {
    const found = await this.ctx.client.fetch(${kind}, name);
    if (found === undefined || isDeleted(found)) return;
    const words = (found.spec.text ?? '').split(/\\s+/).filter((word) => word !== '').length;
    if (found.status?.phase === 'Ready' && found.status.words === words) return;
    found.status = { phase: 'Ready', words };
    // If the object was changed since, this is a conflict, and reconcile runs again on the new state.
    await this.ctx.client.updateStatus(found);
  }
}

/** \`GET /apis/api.${group}/v1alpha1/${plural}/{name}/summary\` */
export class ${kind}Endpoint {
  constructor(ctx) {
    this.ctx = ctx;
  }

  groupVersion() {
    return 'api.${group}/v1alpha1';
  }

  endpoint() {
    const summary = { type: 'object', properties: { title: { type: 'string' }, words: { type: 'integer' } } };
    return RouteBuilder.route()
      .GET(
        '/${plural}/{name}/summary',
        (req) => this.summary(req.params.name),
        (d) =>
          d
            .operationId('Get${kind}Summary')
            .description('Title and number of words')
            .tag('${kind}V1alpha1Public')
            .response(summary),
      )
      .build();
  }

  async summary(name) {
    // An unknown name is answered with 404.
    const { spec, status } = await this.ctx.client.get(${kind}, name);
    return { title: spec.title, words: status?.words ?? 0 };
  }
}
`,
  };
}
