import { NAME_LENGTH_MAX } from '../model/names-and-labels.js';

/** Class names that do not identify the reconciler: those of literals and of classes without a name. */
const NAMELESS = new Set(['', 'Object']);

/**
 * The name of a controller within its plugin: the class of its reconciler in lowercase with dashes,
 * `PersonReconciler` as `person-reconciler`; the model's singular when the class has no name.
 */
export function controllerName(className: string, singular: string): string {
  const name = NAMELESS.has(className) ? '' : kebab(className);
  return name === '' ? singular : name;
}

/** A free name for a controller of a plugin: `<plugin>-<name>`, with a number from the second one on. */
export function uniqueName(plugin: string, name: string, isTaken: (name: string) => boolean): string {
  const base = `${plugin}-${name}`;
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `-${n}`;
    const unique = base.slice(0, NAME_LENGTH_MAX - suffix.length) + suffix;
    if (!isTaken(unique)) return unique;
  }
}

function kebab(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
