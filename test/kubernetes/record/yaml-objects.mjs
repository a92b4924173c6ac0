import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

const schema = CORE_SCHEMA.withTags(mergeTag);

/** The different definitions and other objects in the YAML of a directory, each with the first file that has it. */
export function readObjects(directory) {
  const found = { definitions: new Map(), objects: new Map() };
  const texts = new Set();
  // Templates are no YAML.
  let unread = 0;
  for (const file of yamlFiles(directory)) {
    for (const text of readFileSync(path.join(directory, file), 'utf8').split(/^---.*$/m)) {
      if (!text.includes('apiVersion') || texts.has(text)) continue;
      texts.add(text);
      const read = readDocument(text);
      if (read === undefined) unread += 1;
      else for (const object of read) add(found, object, file);
    }
  }
  return {
    definitions: [...found.definitions.values()],
    objects: [...found.objects.values()],
    unread,
  };
}

function yamlFiles(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .sort();
}

function readDocument(text) {
  try {
    const value = load(text, { schema });
    return value?.kind === 'List' && Array.isArray(value.items) ? value.items : [value];
  } catch {
    return undefined;
  }
}

function add({ definitions, objects }, object, file) {
  if (typeof object?.apiVersion !== 'string' || typeof object.kind !== 'string') return;
  const isDefinition = object.kind === 'CustomResourceDefinition';
  // Patches of definitions have no versions.
  const isWhole = object.apiVersion === 'apiextensions.k8s.io/v1' && Array.isArray(object.spec?.versions);
  if (isDefinition && !isWhole) return;
  const into = isDefinition ? definitions : objects;
  const text = JSON.stringify(object);
  if (!into.has(text)) into.set(text, { object, file, size: text.length });
}
