import { NAME_LENGTH_MAX } from '../model/naming.js';

/** Class names that say nothing about the reconciler: those of literals and of classes without a name. */
const NAMELESS = new Set(['', 'Object']);

/**
 * How a controller is called within its plugin: the class of its reconciler in lowercase with dashes,
 * `PersonReconciler` as `person-reconciler`; the model's singular when the class has no name.
 */
export function controllerName(className: string, singular: string): string {
  const name = NAMELESS.has(className) ? '' : kebab(className);
  return name === '' ? singular : name;
}

/**
 * A name for a controller of a plugin that none of the taken ones is: `<plugin>-<name>`, and from the second on
 * with a number.
 */
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
