import { isDnsLabel, isGroup, isKind, isReservedGroup, nameFaults } from '../../model/names-and-labels.js';
import { UsageError } from '../exit.js';

/** The names in a new plugin. */
export interface ScaffoldNames {
  /** The plugin's name. */
  readonly plugin: string;
  readonly group: string;
  /** The class of its model. */
  readonly kind: string;
  readonly singular: string;
  readonly plural: string;
  /** The name of the model's file, without an extension. */
  readonly file: string;
}

/** Other classes and imports of a new plugin; a model must not have their names. */
const TAKEN =
  /^(AbstractExtension|BasePlugin|GVK|Schema|IndexSpecs|RouteBuilder|RouteSet|CustomEndpoint|Controller|ControllerBuilder|PluginContext|Reconciler)$/;

/**
 * Derives all names from the plugin's: `my-notes` has the model `MyNote`, plural `mynotes`.
 * @throws UsageError when one of them is not allowed
 */
export function scaffoldNames(plugin: string, group = `${plugin}.example.com`): ScaffoldNames {
  if (nameFaults(plugin).length > 0) {
    throw new UsageError(
      `"${plugin}" cannot be the name of a plugin: use lowercase letters, digits and -, with a letter or digit at both ends`,
    );
  }
  if (!isGroup(group) || isReservedGroup(group)) {
    throw new UsageError(
      `"${group}" cannot be the group of a model: use a domain that you own, such as notes.example.com`,
    );
  }
  const file = /[^s]s$/.test(plugin) ? plugin.slice(0, -1) : plugin;
  const words = file.split('-').filter((word) => word !== '');
  const kind = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const singular = words.join('');
  const plural = /(s|x|z|ch|sh)$/.test(singular)
    ? `${singular}es`
    : /[^aeiou]y$/.test(singular)
      ? `${singular.slice(0, -1)}ies`
      : `${singular}s`;
  if (!isKind(kind) || !isDnsLabel(plural) || !isDnsLabel(singular)) {
    throw new UsageError(
      `"${plugin}" cannot be turned into the name of a model: it must begin with a letter and have at most 60 characters`,
    );
  }
  if (TAKEN.test(kind) || kind in globalThis) {
    throw new UsageError(
      `a model cannot be named ${kind}, because that name is already in use; choose another name`,
    );
  }
  return { plugin, group, kind, singular, plural, file };
}
