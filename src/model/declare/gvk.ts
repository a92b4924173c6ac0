import { badRequest, type ServiceError } from '../../errors.js';
import { isDnsLabel, isGroup, isKind } from '../names-and-labels.js';
import type { GroupVersionKind } from '../resource.js';
import type { ModelClass } from './model-class.js';
import './symbol-metadata.js';

/** The declaration of a model class. */
export interface GvkDeclaration extends GroupVersionKind {
  /** Domain of the owner. The empty group and `*.platform.run` belong to the platform. */
  readonly group: string;
  /** A lowercase DNS label, for example `v1alpha1`. */
  readonly version: string;
  /** PascalCase. */
  readonly kind: string;
  /** Lowercase; part of the path of the objects. */
  readonly plural: string;
  /** Lowercase. */
  readonly singular: string;
  /** Further lowercase names for the command line. */
  readonly shortNames?: readonly string[];
  /** Lowercase names of groups of resources that include the model. */
  readonly categories?: readonly string[];
}

const DECLARATION = Symbol.for('xsvc.gvk');

/**
 * Declares a class as a model: `@GVK({...})` as a standard class decorator, or `GVK({...})(Class)` in plain
 * JavaScript. The declaration belongs to the class itself and is not inherited.
 * @throws ServiceError `BadRequest` with the class and the attribute, when an attribute is missing or not valid
 */
export function GVK(
  declaration: GvkDeclaration,
): <T extends ModelClass>(model: T, context?: ClassDecoratorContext<T>) => void {
  return (model, context) => {
    const value = checked(declaration, context?.name ?? model.name);
    Object.defineProperty(model, DECLARATION, { value, configurable: true });
  };
}

/** The own declaration of the class; `undefined` when it has none, even if its base class has one. */
export function findGvk(model: ModelClass): GvkDeclaration | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(model, DECLARATION)?.value;
  return isDeclaration(value) ? value : undefined;
}

const RULES: readonly [keyof GvkDeclaration, (text: string) => boolean, string][] = [
  ['group', isGroup, 'a lowercase DNS subdomain'],
  ['version', isDnsLabel, 'a lowercase DNS label such as "v1alpha1"'],
  ['kind', isKind, 'a PascalCase identifier'],
  ['plural', isDnsLabel, 'a lowercase DNS label'],
  ['singular', isDnsLabel, 'a lowercase DNS label'],
];

function checked(declaration: unknown, name: string): GvkDeclaration {
  if (!isDeclaration(declaration)) throw badRequest(`@GVK of class ${name}: an object is expected`);
  for (const [attribute, isValid, rule] of RULES) {
    const value: unknown = declaration[attribute];
    if (value === undefined) throw bad(name, attribute, 'is missing');
    if (typeof value !== 'string' || !isValid(value)) {
      throw bad(name, attribute, `must be ${rule}, got ${JSON.stringify(value)}`);
    }
  }
  return Object.freeze({
    ...declaration,
    shortNames: names(declaration.shortNames, name, 'shortNames'),
    categories: names(declaration.categories, name, 'categories'),
  });
}

function names(value: unknown, name: string, attribute: keyof GvkDeclaration): readonly string[] {
  if (value === undefined) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.map((entry) => {
    if (typeof entry === 'string' && isDnsLabel(entry)) return entry;
    throw bad(name, attribute, `must be lowercase DNS labels, got ${JSON.stringify(entry)}`);
  });
}

function bad(name: string, attribute: string, text: string): ServiceError {
  return badRequest(`@GVK of class ${name}: ${attribute} ${text}`);
}

function isDeclaration(value: unknown): value is GvkDeclaration {
  return typeof value === 'object' && value !== null;
}
