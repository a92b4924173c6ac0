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
  /^(AbstractExtension|BasePlugin|GVK|Schema|IndexSpecs|RouteBuilder|RouteSet|CustomEndpoint|EndpointRequest|Controller|ControllerBuilder|PluginContext|Reconciler)$/;

/**
 * Derives all names from the plugin's: `my-notes` has the model `MyNote`, plural `mynotes`. A given kind has its own names.
 * @throws UsageError when one of them is not allowed
 */
export function scaffoldNames(
  plugin: string,
  group = `${plugin}.example.com`,
  givenKind?: string,
): ScaffoldNames {
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
  if (givenKind !== undefined) checkKind(givenKind);
  const base = givenKind === undefined ? plugin : toWords(givenKind);
  const file = givenKind === undefined && /[^s]s$/.test(base) ? base.slice(0, -1) : base;
  const words = file.split('-').filter((word) => word !== '');
  const kind = givenKind ?? words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const singular = words.join('');
  const plural = /(s|x|z|ch|sh)$/.test(singular)
    ? `${singular}es`
    : /[^aeiou]y$/.test(singular)
      ? `${singular.slice(0, -1)}ies`
      : `${singular}s`;
  if (!isKind(kind) || !isDnsLabel(plural) || !isDnsLabel(singular)) {
    throw new UsageError(
      `"${givenKind ?? plugin}" cannot be turned into the name of a model: it must begin with a letter and have at most 60 characters`,
    );
  }
  if (TAKEN.test(kind) || kind in globalThis) {
    throw new UsageError(
      `a model cannot be named ${kind}, because that name is already in use; choose another name`,
    );
  }
  return { plugin, group, kind, singular, plural, file };
}

/** @throws UsageError */
function checkKind(kind: string): void {
  if (!isKind(kind))
    throw new UsageError(
      `"${kind}" cannot be the kind of a model: use letters and digits, like Service or BuildJob`,
    );
}

/** `BuildJob` as `build-job`. */
function toWords(kind: string): string {
  return kind.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase();
}
