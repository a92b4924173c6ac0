import { isNamespaced } from '../model/full-name.js';
import { getApiVersion, isStorageVersion, versionKey, type Resource } from '../model/resource.js';
import { hasDeletableCollections } from '../model/subresource.js';
import { componentName, Names, pascalCase, type Wish } from './names.js';
import { getSchemaSet, type SchemaSet } from './schema-set.js';

/** A model with its names in the documents. */
export interface NamedModel {
  readonly resource: Resource;
  readonly schemas: SchemaSet;
  /** The base of operation ids: the kind, unless a model of another group has taken it. */
  readonly title: string;
  /** The base of the ids of the status operations. */
  readonly statusTitle: string;
  /** The base of the ids of the operations for the scale; undefined without that subresource. */
  readonly scaleTitle: string | undefined;
  /** The base of the id of the list of all namespaces; undefined for a cluster-scoped model. */
  readonly everywhereTitle: string | undefined;
  /** The base of the id of the operation for the finalizers in `spec`; undefined without that subresource. */
  readonly finalizeTitle: string | undefined;
  /** The base of the ids of the operations for an object's changes. */
  readonly historyTitle: string;
  /** Names of the schemas of an object and of a page. */
  readonly object: string;
  readonly page: string;
  /** Names of the definitions of the schema. */
  readonly definitions: ReadonlyMap<string, string>;
  /** Equal when all names are equal. */
  readonly key: string;
}

/** The rules by which one form of document names schemas. */
export interface NamingRules {
  /** The name of a model's objects or pages. */
  whole(resource: Resource, name: string): Wish;
  /** The name of a part of a model whose objects are named already. */
  part(resource: Resource, object: string, local: string): Wish;
}

/** Names a model by its kind, on a clash with version and group; a part by its own name, on a clash with its model. */
export const SHORT_NAMES: NamingRules = {
  whole: (resource, name) => [name, () => `${name}${getQualifier(resource)}`],
  part: (_resource, object, local) => [componentName(local), () => `${object}${componentName(local)}`],
};

/** Version and group in PascalCase. */
export function getQualifier({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return `${pascalCase(version)}${pascalCase(group)}`;
}

const MODEL_VERBS = ['List', 'Get', 'Create', 'Update', 'Patch', 'Delete'] as const;
/** Also for the scale. */
const STATUS_VERBS = ['Get', 'Update', 'Patch'] as const;
const HISTORY_VERBS = ['Get', 'List'] as const;

function verbsOf(resource: Resource): readonly string[] {
  return hasDeletableCollections(resource) ? [...MODEL_VERBS, 'DeleteCollection'] : MODEL_VERBS;
}

const setsOf = new WeakMap<Resource, SchemaSet>();

function schemaSetFor(resource: Resource): SchemaSet {
  const known = setsOf.get(resource) ?? getSchemaSet(resource.schema);
  setsOf.set(resource, known);
  return known;
}

/** Gives names to schemas; equal definitions of the same name share one. */
export class SchemaNames {
  readonly #names: Names;
  readonly #shared = new Map<string, string>();

  constructor(reserved: Iterable<string>) {
    this.#names = new Names(reserved);
  }

  take(...wish: Wish): string {
    return this.#names.take(...wish);
  }

  /** Lets later equal definitions of that name share a schema. */
  share(wanted: string, identity: string, name: string): void {
    const key = `${wanted} ${identity}`;
    if (!this.#shared.has(key)) this.#shared.set(key, name);
  }

  takeShared(wish: Wish, identity: string): string {
    const [wanted] = wish;
    const known = this.#shared.get(`${wanted} ${identity}`);
    if (known !== undefined) return known;
    const name = this.take(...wish);
    this.share(wanted, identity, name);
    return name;
  }

  takeAll({ definitions, identities }: SchemaSet, rule: (local: string) => Wish): Map<string, string> {
    const taken = new Map<string, string>();
    for (const local of definitions.keys())
      taken.set(local, this.takeShared(rule(local), identities.get(local) ?? ''));
    return taken;
  }
}

/**
 * Gives every model its names, in the order of group, version and plural, so that the same models always get the
 * same names. Schemas of whole models are named before the definitions within them.
 */
export function nameModels(
  resources: readonly Resource[],
  ids: Names,
  schemas: SchemaNames,
  rules: NamingRules = SHORT_NAMES,
): NamedModel[] {
  const models = inOrder(resources);
  const titles = models.map((resource) => takeTitle(resource, verbsOf(resource), resource.kind, ids));
  const objects = models.map((resource) => schemas.take(...rules.whole(resource, resource.kind)));
  for (const [i, resource] of models.entries()) {
    const object = objects[i] ?? resource.kind;
    // A part that is the model itself, or a part of another model with the same class.
    const [wanted] = rules.part(resource, object, resource.kind);
    schemas.share(wanted, schemaSetFor(resource).identity, object);
  }
  return models.map((resource, i) => {
    const set = schemaSetFor(resource);
    const title = titles[i] ?? resource.kind;
    const statusTitle = takeTitle(resource, STATUS_VERBS, `${title}Status`, ids);
    const scaleTitle = resource.scale && takeTitle(resource, STATUS_VERBS, `${title}Scale`, ids);
    const everywhereTitle = isNamespaced(resource)
      ? takeTitle(resource, ['List'], `${title}ForAllNamespaces`, ids)
      : undefined;
    const finalizeTitle = resource.finalizedBy && takeTitle(resource, ['Update'], `${title}Finalize`, ids);
    const historyTitle = takeTitle(resource, HISTORY_VERBS, `${title}History`, ids);
    const object = objects[i] ?? resource.kind;
    const page = schemas.take(...rules.whole(resource, `${resource.kind}List`));
    const definitions = schemas.takeAll(set, (local) => rules.part(resource, object, local));
    const own = { title, statusTitle, scaleTitle, everywhereTitle, finalizeTitle, historyTitle };
    const key = [...Object.values(own), object, page, ...definitions.values()].join(' ');
    return { resource, schemas: set, ...own, object, page, definitions, key };
  });
}

function inOrder(resources: readonly Resource[]): Resource[] {
  return resources
    .map(
      (resource) =>
        [
          // Names of the storage version are stable when other versions are added or removed.
          `${isStorageVersion(resource) ? 0 : 1} ${getApiVersion(resource)}/${resource.plural} ${versionKey(resource)}`,
          resource,
        ] as const,
    )
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, resource]) => resource);
}

/** Takes a title for which the ids with all verbs are free, and takes those ids. */
function takeTitle(resource: Resource, verbs: readonly string[], wanted: string, ids: Names): string {
  const takeIds = (title: string): boolean => ids.takeAll(verbs.map((verb) => verb + title));
  if (takeIds(wanted)) return wanted;
  const longer = `${wanted}${getQualifier(resource)}`;
  let title = longer;
  for (let n = 2; !takeIds(title); n++) title = `${longer}${n}`;
  return title;
}
