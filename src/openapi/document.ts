import { formatYaml } from '../lib/json/yaml.js';
import { HEADERS, PARAMETERS, RESPONSES, SECURITY_SCHEMES } from './common.js';
import { digestText, type JsonFragment } from './json-fragment.js';

/** The general information of a document. */
export interface DocumentInfo {
  readonly title: string;
  readonly description: string;
  /** The version of the program. */
  readonly version: string;
}

/** The members of a document, in order. */
export interface DocumentParts {
  readonly info: DocumentInfo;
  readonly paths: readonly JsonFragment[];
  readonly schemas: readonly JsonFragment[];
}

/** Components that are equal in every document, without the braces. */
const COMPONENTS = JSON.stringify({
  parameters: PARAMETERS,
  headers: HEADERS,
  responses: RESPONSES,
  securitySchemes: SECURITY_SCHEMES,
}).slice(1, -1);

/** Tokens are optional in the description: a service that requires them answers 401. */
const SECURITY = `"security":${JSON.stringify([{}, { bearer: [] }])}`;

/** A complete document. Its texts are built on demand and cached. */
export class OpenApiDocument {
  /** A strong entity tag without quotes: equal exactly when the text is. */
  readonly tag: string;
  #json: Buffer | undefined;
  #yaml: Buffer | undefined;

  constructor(private readonly parts: DocumentParts) {
    const { info, paths, schemas } = parts;
    const digests = [paths, schemas].map((fragments) => fragments.map(({ digest }) => digest).join(' '));
    this.tag = digestText([JSON.stringify(info), SECURITY, COMPONENTS, ...digests].join('\n'));
  }

  /** The document as JSON in UTF-8. */
  json(): Buffer {
    return (this.#json ??= this.#build());
  }

  /** The document as YAML in UTF-8. */
  yaml(): Buffer {
    return (this.#yaml ??= Buffer.from(formatYaml(this.value())));
  }

  /** The document as data, a new copy. */
  value(): unknown {
    return JSON.parse(this.json().toString());
  }

  #build(): Buffer {
    const { info, paths, schemas } = this.parts;
    const head = `{"openapi":"3.0.3","info":${JSON.stringify(info)},"servers":[{"url":"/"}],${SECURITY},"paths":{`;
    const chunks = [Buffer.from(head)];
    addFragments(chunks, paths);
    chunks.push(Buffer.from('},"components":{"schemas":{'));
    addFragments(chunks, schemas);
    chunks.push(Buffer.from(`},${COMPONENTS}}}`));
    return Buffer.concat(chunks);
  }
}

const COMMA = Buffer.from(',');

function addFragments(chunks: Buffer[], fragments: readonly JsonFragment[]): void {
  for (const [i, { bytes }] of fragments.entries()) {
    if (i > 0) chunks.push(COMMA);
    chunks.push(bytes);
  }
}

/** Selects the schemas that fragments refer to, directly or through other schemas. Keeps the order of all schemas. */
export function reachableSchemas(
  fragments: readonly JsonFragment[],
  names: readonly string[],
  all: ReadonlyMap<string, JsonFragment>,
): JsonFragment[] {
  const found = new Set<string>(names);
  const todo = [...fragments, ...names.flatMap((name) => all.get(name) ?? [])];
  for (let fragment = todo.pop(); fragment !== undefined; fragment = todo.pop()) {
    for (const name of fragment.refs) {
      if (found.has(name)) continue;
      found.add(name);
      const schema = all.get(name);
      if (schema !== undefined) todo.push(schema);
    }
  }
  return [...all].filter(([name]) => found.has(name)).map(([, fragment]) => fragment);
}
