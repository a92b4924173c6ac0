import { AbstractExtension, BasePlugin, GVK, IndexSpecs, isDeleted, RouteBuilder } from 'xsvc';

/** Served under `/apis/__group__/v1alpha1/__plural__`. Users write `spec`, the controller writes `status`. */
export class __Kind__ extends AbstractExtension {
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

  /** The columns of `xsvc get __plural__`. */
  static columns = [
    { name: 'Title', jsonPath: '.spec.title', type: 'string' },
    { name: 'Words', jsonPath: '.status.words', type: 'integer' },
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
  ];
}

GVK({ group: '__group__', version: 'v1alpha1', kind: '__Kind__', plural: '__plural__', singular: '__singular__' })(__Kind__);

export default class __Kind__Plugin extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(__Kind__, (specs) => {
      // A field can be searched and sorted by only when it has an index, which is named like its path.
      specs.add(IndexSpecs.single('spec.title', 'string').indexFunc((o) => o.spec.title));
      specs.add(IndexSpecs.multi('spec.tags', 'string').indexFunc((o) => o.spec.tags ?? []));
    });
    // When the model changes, `xsvc model plan` shows what that means for existing objects. A second version, for
    // clients that know only the old one, and changes of stored objects are a third argument of register():
    //   {
    //     versions: [{ model: __Kind__V1alpha1, deprecated: 'use v1', up: (old) => now, down: (now) => old }],
    //     migrations: [{ id: '2026-11-title', up: (object) => object }],
    //   }
  }
}

/** Keeps `status` true. It gets only a name and reads the current object, so a repeated call does no harm. */
export class __Kind__Reconciler {
  constructor(ctx) {
    this.ctx = ctx;
  }

  setupWith(builder) {
    return builder.extension(__Kind__).build();
  }

  async reconcile({ name }) {
    const found = await this.ctx.client.fetch(__Kind__, name);
    if (found === undefined || isDeleted(found)) return;
    const words = (found.spec.text ?? '').split(/\s+/).filter((word) => word !== '').length;
    if (found.status?.phase === 'Ready' && found.status.words === words) return;
    found.status = { phase: 'Ready', words };
    // If the object was changed since, this is a conflict, and reconcile runs again on the new state.
    await this.ctx.client.updateStatus(found);
  }
}

/** `GET /apis/api.__group__/v1alpha1/__plural__/{name}/summary` */
export class __Kind__Endpoint {
  groupVersion() {
    return 'api.__group__/v1alpha1';
  }

  endpoint() {
    const summary = { type: 'object', properties: { title: { type: 'string' }, words: { type: 'integer' } } };
    return RouteBuilder.route()
      .GET(
        '/__plural__/{name}/summary',
        (req) => this.summary(req),
        (d) =>
          d
            .operationId('Get__Kind__Summary')
            .description('Title and number of words')
            .tag('__Kind__V1alpha1Public')
            .response(summary),
      )
      .build();
  }

  async summary({ client, params }) {
    // The client of the request has the rights of its sender. An unknown name is answered with 404.
    const { spec, status } = await client.get(__Kind__, params.name);
    return { title: spec.title, words: status?.words ?? 0 };
  }
}
