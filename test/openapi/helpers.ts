import { validate } from '@readme/openapi-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { RouteDescription, ServedRoute } from '../../src/endpoint/route.js';
import type { JsonObject } from '../../src/model/object.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { Resource } from '../../src/model/resource.js';
import { PLATFORM_DESCRIPTION } from '../../src/http/platform/endpoints.js';
import { Describer, type Description } from '../../src/openapi/description.js';
import type { OpenApiDocument } from '../../src/openapi/document.js';
import { declarePersonIndexes, declarePetIndexes, Person, Pet } from '../helpers/models.js';

const registry = new SchemeRegistry();

/** Two models of every kind of index and both forms of schema. */
export const person = registry.register(Person, 'test', declarePersonIndexes).resource;
export const pet = registry.register(Pet, 'test', declarePetIndexes).resource;

/** The same model under other names. */
export function renamed(resource: Resource, names: Partial<Resource>): Resource {
  return { ...resource, ...names };
}

/** A number of models of different kinds. */
export function manyModels(count: number): Resource[] {
  return Array.from({ length: count }, (_, i) => {
    const names = { kind: `Thing${i}`, plural: `things${i}`, singular: `thing${i}` };
    return renamed(i % 2 === 0 ? person : pet, { ...names, group: `g${i % 7}.example.com` });
  });
}

/** A model whose `spec` has a schema. */
export function modelWith(spec: JsonObject, $defs: JsonObject = {}, names: Partial<Resource> = {}): Resource {
  const schema = {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec,
    },
    $defs,
  };
  return renamed(pet, { ...names, schema });
}

const NOTHING: RouteDescription = { tags: [], parameters: [], responses: [] };

export function route(given: Partial<ServedRoute>, description: Partial<RouteDescription> = {}): ServedRoute {
  return {
    plugin: 'shop',
    group: 'console.api.demo.example.com',
    version: 'v1',
    audience: 'console',
    method: 'GET',
    path: '/apis/console.api.demo.example.com/v1/things',
    ...given,
    description: { ...NOTHING, ...description },
  };
}

export function describeAll(
  models: readonly Resource[],
  routes: readonly ServedRoute[] = [],
  describer = new Describer(PLATFORM_DESCRIPTION),
): Description {
  return describer.describe({ models, routes, programVersion: '1.2.3' });
}

/** A document as tests look into it. */
export interface DocumentValue {
  readonly openapi: string;
  readonly info: Readonly<Record<string, string>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonObject>>;
    readonly parameters: Readonly<Record<string, DescribedParameter>>;
  };
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { readonly enum?: readonly string[] };
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonObject }>> };
  readonly responses: Readonly<Record<string, JsonObject>>;
  readonly [member: string]: unknown;
}

export function valueOf(document: OpenApiDocument | undefined): DocumentValue {
  if (document === undefined) throw new Error('there is no such document');
  return document.value() as DocumentValue;
}

export function operationsOf(document: DocumentValue): Operation[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item));
}

/** Errors that two independent validators find in a document; empty when both accept it. */
export async function faultsOf(value: object): Promise<string[]> {
  const first = await validate(structuredClone(value) as Parameters<typeof validate>[0]);
  const second = await new Validator().validate(structuredClone(value) as Record<string, unknown>);
  return [
    ...(first.valid ? [] : first.errors.map(({ message }) => message)),
    ...(second.valid ? [] : [JSON.stringify(second.errors)]),
  ];
}
