import { badRequest } from '../errors.js';
import type { Ctor } from '../model/declare/schema-decorator.js';
import '../model/declare/symbol-metadata.js';
import type { ContextLike } from './constraints.js';
import { parseGroupVersion, type CustomEndpoint } from './custom-endpoint.js';
import type { Describe } from './description-builder.js';
import { joinRoutePaths } from './path.js';
import { makeRoute } from './route-builder.js';
import type { Handler, HttpMethod, RouteSet } from './route.js';

/** A mapping as it is stored in the metadata of its class. */
interface Mapping {
  readonly method: HttpMethod;
  readonly path: string;
  /** The name of the method in the class. */
  readonly name: string;
  readonly describe: Describe | undefined;
}

type HandlerMethod<This> = (this: This, ...args: never[]) => unknown;

export type MappingDecorator = <This>(
  target: HandlerMethod<This>,
  context: ClassMethodDecoratorContext<This>,
) => void;

/** Works bare (`@GetMapping`) and called (`@GetMapping('/{name}', (d) => d.operationId('GetPerson'))`). */
export interface MethodMapping {
  <This>(target: HandlerMethod<This>, context: ClassMethodDecoratorContext<This>): void;
  (path?: string, describe?: Describe): MappingDecorator;
  (describe: Describe): MappingDecorator;
}

export type ClassMarker = <T extends Ctor>(target: T, context?: ClassDecoratorContext<T>) => void;

const MAPPINGS = Symbol.for('xsvc.mappings');
const VERSION = Symbol.for('xsvc.api-version');
const BASE_PATH = Symbol.for('xsvc.request-mapping');

/**
 * Marks a class as a controller and states the group and version of its mappings:
 * `'<group>/<version>'`, or only a version for the prefix of older plugins. A class without this marker is not registered. The
 * marker belongs to the class itself and is not inherited. In plain JavaScript: `ApiVersion('...')(Class)`.
 * @throws ServiceError `BadRequest` when the argument is not a group and version
 */
export function ApiVersion(groupVersion: string): ClassMarker {
  return (target) => {
    parseGroupVersion(groupVersion, `@ApiVersion of class ${target.name}`);
    Object.defineProperty(target, VERSION, { value: groupVersion, configurable: true });
  };
}

/**
 * Sets the path prefix of a class's mappings. Not inherited. In plain JavaScript:
 * `RequestMapping('/persons')(Class)`.
 */
export function RequestMapping(path: string): ClassMarker;
export function RequestMapping<T extends Ctor>(target: T, context: ClassDecoratorContext<T>): void;
export function RequestMapping(): ClassMarker;
export function RequestMapping(first: string | Ctor = ''): ClassMarker | undefined {
  if (typeof first === 'function') {
    Object.defineProperty(first, BASE_PATH, { value: '', configurable: true });
    return undefined;
  }
  return (target) => {
    Object.defineProperty(target, BASE_PATH, { value: first, configurable: true });
  };
}

/** Serves GET, and also HEAD, by a method of a controller. Subclasses inherit mappings. */
export const GetMapping = methodMapping('GET');
export const PostMapping = methodMapping('POST');
export const PutMapping = methodMapping('PUT');
export const PatchMapping = methodMapping('PATCH');
export const DeleteMapping = methodMapping('DELETE');

/**
 * Mappings without decorator syntax, for plain JavaScript: by the name of each method,
 *
 *     ApiVersion('api.example.com/v1alpha1')(PersonController);
 *     RequestMapping('/persons')(PersonController);
 *     mapMethods(PersonController, { get: GetMapping('/{name}'), create: PostMapping });
 *
 * @throws ServiceError `BadRequest` when the class has no such method
 */
export function mapMethods(
  type: Ctor,
  mappings: Readonly<Record<string, MappingDecorator | MethodMapping>>,
): void {
  const metadata = ownMetadata(type);
  for (const [name, mapping] of Object.entries(mappings)) {
    const method: unknown = Reflect.get(type.prototype as object, name);
    if (typeof method !== 'function')
      throw badRequest(`mapMethods: class ${type.name} has no method "${name}"`);
    Reflect.apply(mapping, undefined, [
      method,
      { kind: 'method', name, static: false, private: false, metadata },
    ]);
  }
}

export type AnnotatedController =
  | { readonly kind: 'none' }
  /** The class has mappings but no `@ApiVersion`, so it is not registered. Its name is for a warning. */
  | { readonly kind: 'no-version'; readonly name: string }
  | {
      readonly kind: 'controller';
      readonly groupVersion: string;
      /** Returns the endpoint of an instance of the class. Its `endpoint()` throws ServiceError for invalid paths. */
      getEndpoint(instance: object): CustomEndpoint;
    };

/** Reads the annotations of a class. */
export function annotatedController(type: Ctor): AnnotatedController {
  const mappings = mappingsIn(type[Symbol.metadata]);
  const groupVersion = ownText(type, VERSION);
  const basePath = ownText(type, BASE_PATH);
  if (groupVersion === undefined) {
    return mappings.length === 0 && basePath === undefined
      ? { kind: 'none' }
      : { kind: 'no-version', name: type.name };
  }
  return {
    kind: 'controller',
    groupVersion,
    getEndpoint: (instance) => ({
      // Messages name an endpoint by its class.
      constructor: type,
      groupVersion: () => groupVersion,
      endpoint: () => getRoutes(type.name, basePath ?? '', mappings, instance),
    }),
  };
}

function getRoutes(type: string, basePath: string, mappings: readonly Mapping[], instance: object): RouteSet {
  return {
    routes: mappings.map(({ method, path, name, describe }) => {
      const whole = joinRoutePaths(basePath, path, `${type}.${name}, ${method} ${basePath}${path}`);
      const handler: Handler = (req) => {
        const own: unknown = Reflect.get(instance, name);
        return typeof own === 'function' ? Reflect.apply(own, instance, [req]) : undefined;
      };
      return makeRoute(method, whole, handler, describe);
    }),
  };
}

function methodMapping(method: HttpMethod): MethodMapping {
  const decorator =
    (path: string, describe: Describe | undefined) => (_target: unknown, context: ContextLike) =>
      declare({ method, path, describe }, context);
  return ((first?: unknown, second?: unknown) => {
    if (isContext(second)) {
      decorator('', undefined)(first, second);
      return undefined;
    }
    if (typeof first === 'function') return decorator('', first as Describe);
    if (first !== undefined && typeof first !== 'string')
      throw badRequest(`${getName(method)}: the path must be text, got ${typeof first}`);
    return decorator(first ?? '', second as Describe | undefined);
  }) as MethodMapping;
}

function isContext(value: unknown): value is ContextLike {
  return typeof value === 'object' && value !== null && 'kind' in value && 'name' in value;
}

function getName(method: HttpMethod): string {
  return `@${method.charAt(0)}${method.slice(1).toLowerCase()}Mapping`;
}

function declare(mapping: Omit<Mapping, 'name'>, { kind, name, metadata, ...context }: ContextLike): void {
  const where = getName(mapping.method);
  if (metadata === undefined)
    throw badRequest(`${where}: decorators need Symbol.metadata; import xsvc first`);
  if (kind !== 'method' || typeof name !== 'string' || context.static || context.private)
    throw badRequest(`${where}: ${String(name)} must be a public instance method with a string name`);
  const others = mappingsIn(metadata);
  // A subclass that maps an inherited method again replaces its mapping.
  const inherited = mappingsIn(Object.getPrototypeOf(metadata) as DecoratorMetadataObject | null);
  const kept = others.filter((other) => other.name !== name || !inherited.includes(other));
  metadata[MAPPINGS] = [...kept, { ...mapping, name }];
}

/** The mappings of the class and its bases; the metadata of a subclass inherits by prototype. */
function mappingsIn(metadata: DecoratorMetadataObject | null | undefined): readonly Mapping[] {
  const found: unknown = metadata?.[MAPPINGS];
  return Array.isArray(found) ? (found as readonly Mapping[]) : [];
}

function ownText(type: Ctor, key: symbol): string | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(type, key)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** The metadata of a class. It is created when no decorator has created it. */
function ownMetadata(type: Ctor): DecoratorMetadataObject {
  const known = type[Symbol.metadata];
  if (known && Object.hasOwn(type, Symbol.metadata)) return known;
  const made = Object.create(known ?? null) as DecoratorMetadataObject;
  Object.defineProperty(type, Symbol.metadata, { value: made, configurable: true, writable: true });
  return made;
}
