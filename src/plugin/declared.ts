import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError, getMessage } from '../errors.js';
import type { YamlDocument } from '../lib/json/yaml.js';
import { checkPluginKeys } from '../model/names-and-labels.js';
import type { Metadata, ObjectDraft } from '../model/object.js';
import { isPluginName } from './manifest/manifest.js';
import { isRecord } from '../lib/json/json.js';
import { readDocuments, type UnknownRecord } from './records.js';

/** The directories of declared instances, below the plugin's directory. */
export const DECLARED_DIRECTORIES = ['extensions', 'src/main/resources/extensions'] as const;

/** An object as a plugin declares it, with all members that a declared instance must state. */
export interface DeclaredDraft extends ObjectDraft {
  apiVersion: string;
  kind: string;
  metadata: Partial<Metadata> & { name: string };
}

export interface DeclaredInstance {
  readonly object: DeclaredDraft;
  readonly file: string;
  /** The first line of its document, from 1. */
  readonly line: number;
}

export interface Declared {
  /** By path, then in the order of the file. */
  readonly instances: readonly DeclaredInstance[];
  /** Sentences for the log. */
  readonly warnings: readonly string[];
}

/**
 * Reads the declared instances of one plugin; it may have none. A RoleBinding may only give a Role that the plugin declares.
 * @throws ServiceError `Invalid` that lists every error of every file as `<file>:<line>: <message>`
 */
export async function readDeclared(directory: string): Promise<Declared> {
  const reader = new DeclaredReader();
  for (const file of await declaredFiles(directory))
    if ((await stat(file)).isFile()) reader.read(await readFile(file, 'utf8'), file);
    else reader.refuse(file);
  return reader.result();
}

async function declaredFiles(directory: string): Promise<string[]> {
  const lists = await Promise.all(
    DECLARED_DIRECTORIES.map((below) => yamlFiles(path.join(directory, below))),
  );
  return lists.flat();
}

async function yamlFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new ServiceError('Invalid', `cannot read ${directory}: ${getMessage(error)}`);
  });
  return entries
    .filter((entry) => !entry.isDirectory() && /\.ya?ml$/.test(entry.name))
    .map((entry) => path.join(directory, entry.name))
    .sort();
}

/** The place of a field, as `<file>:<line>`. */
type Place = (field: string) => string;

/** Continues after an error, so that an author gets all of them at once. */
class DeclaredReader {
  readonly #instances: DeclaredInstance[] = [];
  readonly #warnings: string[] = [];
  readonly #faults: string[] = [];
  readonly #bindings: { readonly object: UnknownRecord; readonly at: Place }[] = [];

  read(text: string, file: string): void {
    for (const document of this.#parse(text, file)) {
      const { value, line } = document;
      if (!isRecord(value)) {
        this.#faults.push(`${file}:${line}: must contain a mapping with apiVersion, kind and metadata`);
        continue;
      }
      const object = this.#check(value, (field) => `${file}:${document.findLine(field) ?? line}`);
      if (object !== undefined) this.#instances.push({ object, file, line });
    }
  }

  /** The opening of a pipe without a writer would never end. */
  refuse(file: string): void {
    this.#faults.push(`${file}: is not a file; remove it, or replace it by one`);
  }

  result(): Declared {
    this.#checkBindings();
    if (this.#faults.length > 0) throw new ServiceError('Invalid', this.#faults.join('; '));
    return { instances: this.#instances, warnings: this.#warnings };
  }

  #parse(text: string, file: string): readonly YamlDocument[] {
    try {
      return readDocuments(text, file);
    } catch (error) {
      this.#faults.push(getMessage(error));
      return [];
    }
  }

  /** The object, or undefined after an error. */
  #check(value: UnknownRecord, at: Place): DeclaredDraft | undefined {
    const { groupVersion, ...rest } = value;
    if (groupVersion !== undefined) {
      this.#warnings.push(`${at('groupVersion')}: the key groupVersion is deprecated; use apiVersion`);
    }
    const object = { ...rest, apiVersion: value.apiVersion ?? groupVersion };
    const before = this.#faults.length;
    this.#checkType(object, at);
    if (isOfAccess(object, 'RoleBinding')) this.#bindings.push({ object, at });
    else if (!isOfAccess(object, 'Role')) this.#checkSpec(object, at);
    if (!isOfAccess(object, 'Role')) this.#checkKeys(object, at);
    return this.#faults.length === before && isComplete(object) ? object : undefined;
  }

  #checkType(object: UnknownRecord, at: Place): void {
    if (!isText(object.apiVersion)) {
      this.#faults.push(`${at('apiVersion')}: apiVersion is required and must be a string`);
    }
    if (!isText(object.kind)) this.#faults.push(`${at('kind')}: kind is required and must be a string`);
    if (!isRecord(object.metadata) || !isPluginName(object.metadata.name)) {
      this.#faults.push(`${at('metadata.name')}: metadata.name is required and must be a valid name`);
    }
  }

  #checkSpec(object: UnknownRecord, at: Place): void {
    // The schema of the model decides whether it may be absent.
    if (object.spec !== undefined && !isRecord(object.spec))
      this.#faults.push(`${at('spec')}: spec must be a mapping`);
  }

  #checkBindings(): void {
    const roles = this.#instances.filter(({ object }) => isOfAccess(object, 'Role'));
    const names = new Set<unknown>(roles.map(({ object }) => object.metadata.name));
    for (const { object, at } of this.#bindings) {
      const { name } = isRecord(object.roleRef) ? object.roleRef : {};
      if (names.has(name)) continue;
      this.#faults.push(
        `${at('roleRef.name')}: roleRef.name: a plugin may bind only roles that it declares itself; bind others with ` +
          `a separate RoleBinding`,
      );
    }
  }

  #checkKeys(object: UnknownRecord, at: Place): void {
    for (const cause of checkPluginKeys(isRecord(object.metadata) ? object.metadata : {})) {
      this.#faults.push(`${at(cause.field)}: ${cause.field}: ${cause.message}`);
    }
  }
}

/**
 * True for a Role or a RoleBinding: those have their content next to the metadata. A Role is marked by keys of the platform that
 * plugins may use only there.
 */
function isOfAccess(
  object: { readonly apiVersion?: unknown; readonly kind?: unknown },
  kind: 'Role' | 'RoleBinding',
): boolean {
  return object.kind === kind && object.apiVersion === 'access.platform.run/v1alpha1';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isComplete(object: UnknownRecord): object is DeclaredDraft {
  return (
    isText(object.apiVersion) &&
    isText(object.kind) &&
    isRecord(object.metadata) &&
    isText(object.metadata.name)
  );
}
