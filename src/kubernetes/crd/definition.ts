import type { Cause } from '../../errors.js';
import type { Json, JsonObject } from '../../model/object.js';
import { isJsonObject } from '../../model/schema/schema-walk.js';
import {
  anything,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  recordOf,
  refuse,
  text,
  type Reader,
} from './reader.js';

/** A CustomResourceDefinition of `apiextensions.k8s.io/v1`, without members that Kubernetes does not know. */
export interface Definition extends JsonObject {
  metadata?: DefinitionMetadata;
  spec?: DefinitionSpec;
  status?: DefinitionStatus;
}

interface DefinitionMetadata extends JsonObject {
  name?: string;
  annotations?: Record<string, string>;
}

export interface DefinitionSpec extends JsonObject {
  group?: string;
  names?: DefinitionNames;
  scope?: string;
  versions?: DefinitionVersion[];
  conversion?: DefinitionConversion;
  preserveUnknownFields?: boolean;
}

/** The names of a kind in requests and in objects. */
export interface DefinitionNames extends JsonObject {
  plural?: string;
  singular?: string;
  shortNames?: string[];
  kind?: string;
  listKind?: string;
  categories?: string[];
}

interface DefinitionConversion extends JsonObject {
  strategy?: string;
  webhook?: WebhookConversion;
}

interface WebhookConversion extends JsonObject {
  clientConfig?: Json;
  conversionReviewVersions?: string[];
}

export interface DefinitionVersion extends JsonObject {
  name?: string;
  served?: boolean;
  storage?: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: VersionSchema;
  subresources?: VersionSubresources;
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: SelectableField[];
}

interface VersionSchema extends JsonObject {
  openAPIV3Schema?: StructuralSchema;
}

interface VersionSubresources extends JsonObject {
  status?: JsonObject;
  scale?: ScalePaths;
}

export interface ScalePaths extends JsonObject {
  specReplicasPath?: string;
  statusReplicasPath?: string;
  labelSelectorPath?: string;
}

export interface PrinterColumn extends JsonObject {
  name?: string;
  type?: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath?: string;
}

interface SelectableField extends JsonObject {
  jsonPath?: string;
}

interface DefinitionStatus extends JsonObject {
  storedVersions?: string[];
  conditions?: DefinitionCondition[];
}

interface DefinitionCondition extends JsonObject {
  type?: string;
  status?: string;
}

/** A rule in CEL, as it is declared. */
export interface DeclaredRule extends JsonObject {
  rule?: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

/** A schema of a definition, which describes the structure of objects. */
export interface StructuralSchema extends JsonObject {
  id?: string;
  $schema?: string;
  $ref?: string;
  description?: string;
  type?: string;
  format?: string;
  title?: string;
  default?: Json;
  maximum?: number;
  exclusiveMaximum?: boolean;
  minimum?: number;
  exclusiveMinimum?: boolean;
  maxLength?: number;
  minLength?: number;
  pattern?: string;
  maxItems?: number;
  minItems?: number;
  uniqueItems?: boolean;
  multipleOf?: number;
  enum?: Json[];
  maxProperties?: number;
  minProperties?: number;
  required?: string[];
  items?: StructuralSchema | StructuralSchema[];
  allOf?: StructuralSchema[];
  oneOf?: StructuralSchema[];
  anyOf?: StructuralSchema[];
  not?: StructuralSchema;
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema | boolean;
  patternProperties?: JsonObject;
  dependencies?: JsonObject;
  additionalItems?: Json;
  definitions?: JsonObject;
  externalDocs?: JsonObject;
  example?: Json;
  nullable?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-validations'?: DeclaredRule[];
}

/** Limit for schemas inside schemas. Checks and validators recurse. */
export const SCHEMA_DEPTH_MAX = 200;

const object: Reader<JsonObject> = (value, at) =>
  isJsonObject(value) ? value : refuse(value, 'an object', at);

const schema: Reader<StructuralSchema> = (value, at) => {
  if (at.depth < SCHEMA_DEPTH_MAX) return readSchema(value, { ...at, depth: at.depth + 1 });
  const message = `schemas must not be nested deeper than ${SCHEMA_DEPTH_MAX} levels`;
  at.causes.push({ field: at.path, reason: 'FieldValueInvalid', message });
  return undefined;
};
const schemas = listOf(schema);

const readRule = recordOf<DeclaredRule>(() => RULE);
const RULE = {
  rule: text,
  message: text,
  messageExpression: text,
  reason: text,
  fieldPath: text,
  optionalOldSelf: flag,
};

const readSchema = recordOf<StructuralSchema>(() => SCHEMA);
const SCHEMA = {
  id: text,
  $schema: text,
  $ref: text,
  description: text,
  type: text,
  format: text,
  title: text,
  default: anything,
  maximum: number,
  exclusiveMaximum: flag,
  minimum: number,
  exclusiveMinimum: flag,
  maxLength: integer,
  minLength: integer,
  pattern: text,
  maxItems: integer,
  minItems: integer,
  uniqueItems: flag,
  multipleOf: number,
  enum: listOf(anything),
  maxProperties: integer,
  minProperties: integer,
  required: listOf(text),
  items: ((value, at) => (Array.isArray(value) ? schemas(value, at) : schema(value, at))) satisfies Reader<
    StructuralSchema | StructuralSchema[]
  >,
  allOf: schemas,
  oneOf: schemas,
  anyOf: schemas,
  not: schema,
  properties: mapOf(schema),
  additionalProperties: ((value, at) =>
    typeof value === 'boolean' ? value : schema(value, at)) satisfies Reader<StructuralSchema | boolean>,
  patternProperties: object,
  dependencies: object,
  additionalItems: anything,
  definitions: object,
  externalDocs: object,
  example: anything,
  nullable: flag,
  'x-kubernetes-preserve-unknown-fields': flag,
  'x-kubernetes-embedded-resource': flag,
  'x-kubernetes-int-or-string': flag,
  'x-kubernetes-list-map-keys': listOf(text),
  'x-kubernetes-list-type': text,
  'x-kubernetes-map-type': text,
  'x-kubernetes-validations': listOf(readRule),
};

const COLUMN = { name: text, type: text, format: text, description: text, priority: integer, jsonPath: text };
const SCALE = { specReplicasPath: text, statusReplicasPath: text, labelSelectorPath: text };
const VERSION = {
  name: text,
  served: flag,
  storage: flag,
  deprecated: flag,
  deprecationWarning: text,
  schema: recordOf<VersionSchema>(() => ({ openAPIV3Schema: schema })),
  subresources: recordOf<VersionSubresources>(() => ({
    status: object,
    scale: recordOf<ScalePaths>(() => SCALE),
  })),
  additionalPrinterColumns: listOf(recordOf<PrinterColumn>(() => COLUMN)),
  selectableFields: listOf(recordOf<SelectableField>(() => ({ jsonPath: text }))),
};
const NAMES = {
  plural: text,
  singular: text,
  shortNames: listOf(text),
  kind: text,
  listKind: text,
  categories: listOf(text),
};
const WEBHOOK = { clientConfig: anything, conversionReviewVersions: listOf(text) };
const SPEC = {
  group: text,
  names: recordOf<DefinitionNames>(() => NAMES),
  scope: text,
  versions: listOf(recordOf<DefinitionVersion>(() => VERSION)),
  conversion: recordOf<DefinitionConversion>(() => ({
    strategy: text,
    webhook: recordOf<WebhookConversion>(() => WEBHOOK),
  })),
  preserveUnknownFields: flag,
};

const readWhole = recordOf<Definition>(() => ({
  metadata: recordOf<DefinitionMetadata>(() => ({ name: text, annotations: mapOf(text) })),
  spec: recordOf<DefinitionSpec>(() => SPEC),
  status: recordOf<DefinitionStatus>(() => ({
    storedVersions: listOf(text),
    conditions: listOf(recordOf<DefinitionCondition>(() => ({ type: text, status: text }))),
  })),
}));

/** Reads a definition. Where a value has a wrong type, it is left out, and there is a cause. */
export function readDefinition(crd: JsonObject): { definition: Definition; causes: Cause[] } {
  const causes: Cause[] = [];
  return { definition: readWhole(crd, { path: '', depth: 0, causes }) ?? {}, causes };
}
