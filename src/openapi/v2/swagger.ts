import type { Resource } from '../../model/resource.js';
import { SCHEMAS } from '../common.js';
import { digestText } from '../json-fragment.js';
import { groupVersions, ModelTags, REVERSE_DOMAIN, type KubernetesDocument } from '../kubernetes.js';
import { mergedSchemas, modelSchemas } from '../model-schemas.js';
import { nameModels, SchemaNames } from '../named-model.js';
import { Names } from '../names.js';
import { metadataDefinition, swaggerPaths } from './swagger-parts.js';
import { toSwagger } from './swagger-schema.js';

/** The models of one group and version in the document: members of its objects `paths` and `definitions`, as JSON. */
interface Part {
  readonly tag: string;
  readonly paths: readonly string[];
  readonly definitions: readonly string[];
}

/** The document of all models in the form of OpenAPI 2. Only groups and versions that have changed are built again. */
export class SwaggerDescriber {
  readonly #tags: ModelTags;
  #parts: ReadonlyMap<string, Part> = new Map();
  #last: KubernetesDocument | undefined;

  constructor(private readonly programVersion: string) {
    this.#tags = new ModelTags(programVersion);
  }

  document(models: readonly Resource[]): KubernetesDocument {
    const groups = [...groupVersions(models)].map(([path, own]) => ({ path, own, tag: this.#tags.of(own) }));
    const tag = digestText([this.programVersion, ...groups.map((group) => group.tag)].join('\n'));
    if (this.#last?.tag === tag) return this.#last;
    let bytes: Buffer | undefined;
    const json = (): Buffer => {
      if (bytes !== undefined) return bytes;
      const parts = groups.map(({ path, own, tag: now }) => {
        const known = this.#parts.get(path);
        return [path, known?.tag === now ? known : partOf(own, now)] as const;
      });
      this.#parts = new Map(parts);
      return (bytes = this.#assemble(parts.map(([, part]) => part)));
    };
    return (this.#last = { tag, json });
  }

  #assemble(parts: readonly Part[]): Buffer {
    const info = JSON.stringify({ title: 'xsvc', version: this.programVersion });
    const paths = parts.flatMap((part) => part.paths).join(',');
    const definitions = [...COMMON, ...parts.flatMap((part) => part.definitions)].join(',');
    return Buffer.from(`{"swagger":"2.0","info":${info},"paths":{${paths}},"definitions":{${definitions}}}`);
  }
}

function member(name: string, value: unknown): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

const COMMON = Object.entries(SCHEMAS).map(([name, schema]) =>
  member(name, name === 'Metadata' ? metadataDefinition(toSwagger(schema)) : toSwagger(schema)),
);

function partOf(models: readonly Resource[], tag: string): Part {
  const named = nameModels(models, new Names(), new SchemaNames(Object.keys(SCHEMAS)), REVERSE_DOMAIN);
  const schemas = mergedSchemas<object>(named, modelSchemas);
  return {
    tag,
    paths: named.flatMap((model) => Object.entries(swaggerPaths(model)).map((path) => member(...path))),
    definitions: [...schemas].map(([name, schema]) => member(name, toSwagger(schema))),
  };
}
