import type { Files } from './files.js';
import type { ScaffoldNames } from './names.js';

/** The code of a new plugin in TypeScript. */
export function typescriptFiles(names: ScaffoldNames): Files {
  const { file } = names;
  return {
    'index.ts': main(names),
    [`${file}.ts`]: model(names),
    [`${file}-reconciler.ts`]: reconciler(names),
    [`${file}-endpoint.ts`]: endpoint(names),
    'tsconfig.json': tsconfig(['*.ts']),
  };
}

function main({ kind, file }: ScaffoldNames): string {
  return `import { BasePlugin, IndexSpecs } from 'xsvc';
import { ${kind} } from './${file}.js';

/** Exported controllers and endpoints are registered automatically. */
export { ${kind}Endpoint } from './${file}-endpoint.js';
export { ${kind}Reconciler } from './${file}-reconciler.js';

export default class ${kind}Plugin extends BasePlugin {
  override start(): void {
    this.ctx.schemeManager.register(${kind}, (specs) => {
      // A field can be searched and sorted by only when it has an index, which is named like its path.
      specs.add(IndexSpecs.single<${kind}, string>('spec.title', 'string').indexFunc((o) => o.spec.title));
      specs.add(IndexSpecs.multi<${kind}, string>('spec.tags', 'string').indexFunc((o) => o.spec.tags ?? []));
    });
    // When the model changes, \`xsvc model plan\` shows what that means for existing objects. A second version, for
    // clients that know only the old one, and changes of stored objects are a third argument of register():
    //   {
    //     versions: [{ model: ${kind}V1alpha1, deprecated: 'use v1', up: (old) => now, down: (now) => old }],
    //     migrations: [{ id: '2026-11-title', up: (object) => object }],
    //   }
  }
}
`;
}

function model({ kind, group, plural, singular }: ScaffoldNames): string {
  return `import { AbstractExtension, GVK, Rule, Schema } from 'xsvc';

/** The desired state, written by users. */
@Schema({ name: '${kind}Spec' })
@Rule('!has(self.text) || self.text != self.title', { message: 'must say more than the title', fieldPath: '.text' })
export class ${kind}Spec {
  @Schema({ type: 'string', requiredMode: 'REQUIRED', minLength: 1, maxLength: 100, example: 'Shopping' })
  title!: string;

  @Schema({ type: 'string' })
  text?: string;

  @Schema({ type: 'array', items: { type: 'string' } })
  tags?: string[];
}

/** The observed state, written by the controller. */
@Schema({ name: '${kind}Status' })
export class ${kind}Status {
  @Schema({ type: 'string', example: 'Ready' })
  phase?: string;

  @Schema({ type: 'integer', minimum: 0, description: 'Words of the text' })
  words?: number;
}

/** Served under \`/apis/${group}/v1alpha1/${plural}\`. */
@GVK({ group: '${group}', version: 'v1alpha1', kind: '${kind}', plural: '${plural}', singular: '${singular}' })
export class ${kind} extends AbstractExtension {
  /** The columns of \`xsvc get ${plural}\`. */
  static columns = [
    { name: 'Title', jsonPath: '.spec.title', type: 'string' },
    { name: 'Words', jsonPath: '.status.words', type: 'integer' },
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
  ];

  @Schema({ type: ${kind}Spec, requiredMode: 'REQUIRED' })
  spec!: ${kind}Spec;

  @Schema({ type: ${kind}Status })
  status?: ${kind}Status;
}
`;
}

function reconciler({ kind, file }: ScaffoldNames): string {
  return `import {
  isDeleted,
  type Controller,
  type ControllerBuilder,
  type PluginContext,
  type Reconciler,
  type Request,
} from 'xsvc';
import { ${kind} } from './${file}.js';

/** Keeps \`status\` true. It gets only a name and reads the current object, so a repeated call does no harm. */
export class ${kind}Reconciler implements Reconciler {
  constructor(private readonly ctx: PluginContext) {}

  setupWith(builder: ControllerBuilder): Controller {
    return builder.extension(${kind}).build();
  }

  async reconcile({ name }: Request): Promise<void> {
    const found = await this.ctx.client.fetch(${kind}, name);
    if (found === undefined || isDeleted(found)) return;
    const words = (found.spec.text ?? '').split(/\\s+/).filter((word) => word !== '').length;
    if (found.status?.phase === 'Ready' && found.status.words === words) return;
    found.status = { phase: 'Ready', words };
    // If the object was changed since, this is a conflict, and reconcile runs again on the new state.
    await this.ctx.client.updateStatus(found);
  }
}
`;
}

function endpoint({ kind, group, plural, file }: ScaffoldNames): string {
  return `import { RouteBuilder, Schema, type CustomEndpoint, type PluginContext, type RouteSet } from 'xsvc';
import { ${kind} } from './${file}.js';

@Schema({ name: '${kind}Summary' })
export class ${kind}Summary {
  @Schema({ type: 'string', requiredMode: 'REQUIRED' })
  title!: string;

  @Schema({ type: 'integer', requiredMode: 'REQUIRED' })
  words!: number;
}

/** \`GET /apis/api.${group}/v1alpha1/${plural}/{name}/summary\` */
export class ${kind}Endpoint implements CustomEndpoint {
  constructor(private readonly ctx: PluginContext) {}

  groupVersion(): string {
    return 'api.${group}/v1alpha1';
  }

  endpoint(): RouteSet {
    return RouteBuilder.route()
      .GET(
        '/${plural}/{name}/summary',
        (req) => this.summary(req.params.name ?? ''),
        (d) =>
          d
            .operationId('Get${kind}Summary')
            .description('Title and number of words')
            .tag('${kind}V1alpha1Public')
            .response(${kind}Summary),
      )
      .build();
  }

  private async summary(name: string): Promise<${kind}Summary> {
    // An unknown name is answered with 404.
    const { spec, status } = await this.ctx.client.get(${kind}, name);
    return { title: spec.title, words: status?.words ?? 0 };
  }
}
`;
}

/** For editors and `tsc`: the types of xsvc are resolved like those of any package. */
export function tsconfig(include: readonly string[]): string {
  const content = {
    compilerOptions: {
      target: 'ES2022',
      module: 'NodeNext',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      verbatimModuleSyntax: true,
    },
    include,
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}
