import { inspect } from 'node:util';
import { badRequest, formatExcerpt, getMessage, type ServiceError } from '../../errors.js';
import { getColumns } from './columns.js';
import { bindConversion, bindMigration } from '../evolve/conversion.js';
import { findGvk, type GvkDeclaration } from './gvk.js';
import { findReferences } from '../references/find.js';
import { bindIndex, declarationOnly, withReferenceIndexes, type IndexDefinition } from './index-function.js';
import {
  BUILT_IN_INDEX_NAMES,
  builtInIndexes,
  IndexSpec,
  type IndexSource,
  type IndexSpecsBuilder,
} from './index-spec.js';
import { lintSchema, wrongSchema } from '../schema/lint-schema.js';
import type { ExtensionObject, JsonObject } from '../object.js';
import { isMulti, type ModelReference } from '../references/reference.js';
import { getApiVersion, type IndexDeclaration, type Resource } from '../resource.js';
import { getSchema } from '../schema/schema-of.js';
import type { ModelClass } from './model-class.js';
import { codeRules } from '../rules/code-rules.js';
import type { Rules } from '../rules/source.js';
import { PLATFORM, type Index, type ModelVersions, type Scheme } from './scheme.js';
import { compileModel, type ObjectCheck } from '../validate/validator.js';
import type { AnyVersionOptions, ModelOptions } from '../evolve/versions.js';

/** Declares the indexes of a model during its registration; it must not be asynchronous. */
export type DeclareIndexes = (specs: IndexSpecsBuilder) => void;

export interface Registration {
  /** The class of the storage version. */
  readonly model: ModelClass;
  /** The name of the registering plugin, or `platform`. */
  readonly owner: string;
  readonly declareIndexes?: DeclareIndexes | undefined;
  readonly options: ModelOptions;
  /** Receives a text about deprecated forms in the declaration. */
  readonly onDeprecated?: ((text: string) => void) | undefined;
}

/**
 * Builds, checks and compiles the schemas of a model's versions, and binds its indexes, conversions and migrations.
 * @throws ServiceError `BadRequest` that names the error
 */
export function buildVersions(registration: Registration): ModelVersions {
  const { model, owner, options } = registration;
  const gvk = getDeclaration(model);
  const schema = checkedSchema(model);
  const references = findReferences(model.name, schema);
  const ownIndexes = declaredIndexes(registration);
  const indexes = [...builtInIndexes({}), ...withReferences(model, ownIndexes, references)];
  const byName = new Map<string, ClassScheme>();
  const migrations = options.migrations ?? [];
  const resource: Resource = {
    ...getResource(model, gvk, { schema, indexes, storageVersion: gvk.version }),
    ...(references.length > 0 && { references }),
    ...(migrations.length > 0 && { migrations: migrations.map(({ id }) => id) }),
  };
  const getVersion = ({ apiVersion }: ExtensionObject): ClassScheme =>
    [...byName.values()].find((version) => getApiVersion(version.resource) === apiVersion) ?? storage;
  const versions: ModelVersions = {
    get storage() {
      return storage;
    },
    byName,
    migrations: migrations.map((migration) => bindMigration(migration, getVersion)),
  };
  const rules = options.validate === undefined ? [] : [codeRules(options.validate, model)];
  const storage = getScheme({ model, owner, resource, indexes, versions }, { rules });
  byName.set(gvk.version, storage);
  for (const option of options.versions ?? []) {
    const scheme = otherVersion(storage, option);
    const { version } = scheme.resource;
    if (byName.has(version)) throw bad(model, `the version ${version} is declared twice`);
    byName.set(version, scheme);
  }
  return versions;
}

/** A version of a model that a class declares. */
interface ClassScheme extends Scheme {
  readonly model: ModelClass;
}

type Bare = Pick<ClassScheme, 'model' | 'owner' | 'resource' | 'indexes' | 'versions'>;

interface Further extends Partial<Pick<Scheme, 'conversion' | 'isServed'>> {
  readonly rules?: readonly Rules[];
}

function getScheme(bare: Bare, other: Further): ClassScheme {
  return {
    ...bare,
    isServed: other.isServed ?? true,
    conversion: other.conversion,
    validate: bare.owner === PLATFORM ? compiledLater(bare) : compiled(bare, other.rules),
  };
}

function compiled({ model, resource }: Bare, rules?: readonly Rules[]): ObjectCheck {
  try {
    return compileModel(resource.schema, rules);
  } catch (error) {
    throw wrongSchema(model.name, getMessage(error));
  }
}

/**
 * Compiles on first use: the program's schemas are known to be valid, and most processes write no object of most
 * models.
 */
function compiledLater(bare: Bare): ObjectCheck {
  let check: ObjectCheck | undefined;
  return (...args) => (check ??= compiled(bare))(...args);
}

function otherVersion(storage: ClassScheme, option: AnyVersionOptions): ClassScheme {
  const { model, served = true, deprecated, fields = {} } = option;
  const gvk = getDeclaration(model);
  const { group, kind, plural, version } = storage.resource;
  if (gvk.group !== group || gvk.kind !== kind || gvk.plural !== plural) {
    throw bad(
      model,
      `as a version of ${storage.model.name} it must have the group "${group}", the kind ${kind} and the plural ${plural}`,
    );
  }
  const indexes = renamed(model, storage.indexes, fields);
  const schema = checkedSchema(model);
  // Checked only: references apply to stored objects, as the storage version declares them.
  findReferences(model.name, schema);
  const resource: Resource = {
    ...getResource(model, gvk, { schema, indexes, storageVersion: version }),
    ...(storage.resource.migrations !== undefined && { migrations: storage.resource.migrations }),
    ...(deprecated !== undefined && { deprecated }),
  };
  const conversion = bindConversion(option, { model, resource }, storage);
  const { owner, versions } = storage;
  return getScheme({ model, owner, resource, indexes, versions }, { conversion, isServed: served });
}

/** The indexes with their names in a version. */
function renamed(
  model: ModelClass,
  indexes: readonly Index[],
  fields: Readonly<Record<string, string>>,
): readonly Index[] {
  const known = new Set(indexes.map(({ name }) => name));
  const names = new Map<string, string>();
  for (const [name, stored] of Object.entries(fields)) {
    if (!known.has(stored)) throw bad(model, `fields: "${stored}" is not an index of the storage version`);
    if (BUILT_IN_INDEX_NAMES.has(stored)) throw bad(model, `fields: the index ${stored} is built in`);
    if (names.has(stored)) throw bad(model, `fields: the index ${stored} has two names`);
    names.set(stored, name);
  }
  const given = indexes.map((index) => ({ ...index, name: names.get(index.name) ?? index.name }));
  const twice = given.find(({ name }, i) => given.findIndex((other) => other.name === name) !== i);
  if (twice !== undefined) throw bad(model, `fields: two indexes are called "${twice.name}"`);
  return given;
}

function checkedSchema(model: ModelClass): JsonObject {
  const schema = getSchema(model);
  lintSchema(model.name, schema);
  return schema;
}

interface ResourceParts extends Pick<Resource, 'schema' | 'storageVersion'> {
  readonly indexes: readonly IndexDeclaration[];
}

function getResource(
  model: ModelClass,
  gvk: GvkDeclaration,
  { schema, indexes, storageVersion }: ResourceParts,
): Resource {
  return {
    group: gvk.group,
    version: gvk.version,
    kind: gvk.kind,
    plural: gvk.plural,
    singular: gvk.singular,
    shortNames: gvk.shortNames ?? [],
    categories: gvk.categories ?? [],
    columns: getColumns(model, schema),
    schema,
    indexes: indexes.map(declarationOnly),
    storageVersion,
  };
}

function withReferences(
  model: ModelClass,
  declared: readonly Index[],
  references: readonly ModelReference[],
): readonly Index[] {
  return withReferenceIndexes(declared, references, (reference) =>
    bad(
      model,
      `the index ${reference.field} is created by the reference; when it is also declared, it must be ${isMulti(reference) ? 'IndexSpecs.multi' : 'IndexSpecs.single'} with the key type string, and without ignoreCase`,
    ),
  );
}

/** The index functions of the platform's models, whose text changes with each build. Must be increased with a change. */
const PLATFORM_INDEXES = 'platform 1';

function declaredIndexes({ model, owner, declareIndexes, onDeprecated }: Registration): Index[] {
  const text = owner === PLATFORM ? PLATFORM_INDEXES : undefined;
  const indexes = new Map<string, Index>();
  const specs: IndexSpecsBuilder = {
    add(spec: IndexSource) {
      const definition = getDefinition(model, spec);
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- its use is reported
      if (spec instanceof IndexSpec)
        onDeprecated?.(
          `model ${model.name}: IndexSpec and IndexAttributeFactory are deprecated; use IndexSpecs.single and ` +
            'IndexSpecs.multi',
        );
      const { name } = definition;
      if (BUILT_IN_INDEX_NAMES.has(name))
        throw bad(model, `the index ${name} is built in, it must not be declared`);
      if (indexes.has(name)) throw bad(model, `the index ${name} is declared twice`);
      const other = [...indexes.values()].find(({ keyType }) => keyType === 'text');
      if (definition.keyType === 'text' && other !== undefined)
        throw bad(model, `a model has at most one text index; ${other.name} is one already`);
      indexes.set(name, bindIndex(definition, model, text));
      return specs;
    },
  };
  const result: unknown = declareIndexes?.(specs);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    throw bad(model, 'the function that declares indexes must be synchronous');
  }
  return [...indexes.values()];
}

/** Plugins may be plain JavaScript, so the argument may be anything. */
function getDefinition(model: ModelClass, spec: unknown): IndexDefinition {
  if (typeof spec !== 'object' || spec === null || !isIndexSource(spec))
    throw bad(
      model,
      `specs.add needs an index, such as IndexSpecs.single('spec.name', 'string'), got ${formatExcerpt(inspect(spec, { depth: 0 }))}`,
    );
  try {
    return spec.toDefinition();
  } catch (error) {
    throw bad(model, getMessage(error));
  }
}

function isIndexSource(spec: object): spec is IndexSource {
  return 'toDefinition' in spec && typeof spec.toDefinition === 'function';
}

function bad(model: ModelClass, text: string): ServiceError {
  return badRequest(`model ${model.name}: ${text}`);
}

/** The own declaration of the class. @throws ServiceError `BadRequest` when it has none */
export function getDeclaration(model: ModelClass): GvkDeclaration {
  const given: unknown = model;
  if (typeof given !== 'function') throw badRequest(`a model must be a class, got ${String(given)}`);
  const gvk = findGvk(model);
  if (!gvk) throw badRequest(`class ${model.name} is not a model: it has no own @GVK`);
  return gvk;
}
