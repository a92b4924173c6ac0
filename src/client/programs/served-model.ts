import { isRecord } from '../../lib/json/json.js';
import type { RequestOptions, Transport } from '../transport.js';
import { ApiError, hasReason, isNotServed, misuse } from './api-error.js';
import type { ClientOptions } from './types.js';

export interface ServiceRequests extends Pick<ClientOptions, 'onWarning'> {
  readonly transport: Transport;
}

/** The address of a model's objects, or of one with a name. */
export interface ModelTarget {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

type ModelPath = (target: ModelTarget) => string;

/** Requests to a model, which is looked up by its name first. */
export class ModelRequests {
  #path: Promise<ModelPath> | undefined;

  constructor(
    private readonly service: ServiceRequests,
    private readonly name: string,
  ) {}

  /** The content of an answer. @throws ApiError */
  async request(target: ModelTarget, options: RequestOptions): Promise<unknown> {
    const { transport, onWarning } = this.service;
    const { body, warnings } = await this.#send(target, options, (path) => transport.request(path, options));
    warnings.forEach((text) => onWarning?.(text));
    return body;
  }

  /** Resolves with the head of an answer. @throws ApiError */
  open(target: ModelTarget, options: RequestOptions): Promise<Response> {
    return this.#send(target, options, (path) => this.service.transport.open(path, options));
  }

  /** The error for an answer of another form. */
  malformed(what: string): Error {
    return this.service.transport.malformed(what);
  }

  async #send<R>(
    target: ModelTarget,
    { signal }: RequestOptions,
    send: (path: string) => Promise<R>,
  ): Promise<R> {
    signal?.throwIfAborted();
    const path = (await unlessAborted(this.#find(), signal))(target);
    try {
      return await send(path);
    } catch (error) {
      // It may be served in another version soon.
      if (isNotServed(error)) this.#path = undefined;
      throw error;
    }
  }

  /** All calls share one lookup. A failure is not kept. */
  #find(): Promise<ModelPath> {
    const path = (this.#path ??= findModel(this.service.transport, this.name));
    path.catch(() => {
      if (this.#path === path) this.#path = undefined;
    });
    return path;
  }
}

/** Does not wait longer than until the signal is aborted. */
function unlessAborted<R>(work: Promise<R>, signal: AbortSignal | undefined): Promise<R> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const NAME =
  /^(?<plural>[A-Za-z0-9-]+)(?:\.(?<version>v\d+(?:(?:alpha|beta)\d+)?))?(?:\.(?<group>[A-Za-z0-9.-]+))?$/;

/**
 * Finds a model by `<plural>.<group>`, or `<plural>.<version>.<group>`, in the discovery of the service. Without a version it is
 * the preferred one in which the model is served. The singular, the kind or a short name may replace the plural. With a version,
 * a sender without the right to discovery is served, too.
 * @throws ApiError `NotFound` when it is not served
 */
async function findModel(transport: Transport, name: string): Promise<ModelPath> {
  const { plural = '', version, group = '' } = NAME.exec(name)?.groups ?? {};
  const root = group === '' ? '/api' : `/apis/${group}`;
  const versions =
    version === undefined
      ? (await itemsAt(transport, root, 'versions')).map((one) => String(one.version))
      : [version];
  for (const one of versions) {
    const resources = await itemsAt(transport, `${root}/${one}`, 'resources').catch((error: unknown) => {
      if (version === undefined || !hasReason(error, 'Forbidden')) throw error;
      // Discovery is a separate right, and not needed when the name says everything.
      return [{ name: plural, namespaced: true }];
    });
    const found = resources.find((resource) => isNamed(resource, plural.toLowerCase()));
    if (found === undefined) continue;
    return ({ namespace, name: object, subresource }) =>
      [
        `${root}/${one}`,
        ...(found.namespaced === true && namespace !== undefined ? ['namespaces', toSegment(namespace)] : []),
        String(found.name),
        ...(object === undefined ? [] : [toSegment(object)]),
        ...(subresource === undefined ? [] : [subresource]),
      ].join('/');
  }
  const message = `the service has no model "${name}"; name it as <plural>.<group>, like services.catalog.example.com`;
  throw new ApiError(404, { code: 'NotFound', message });
}

function isNamed(resource: Readonly<Record<string, unknown>>, wanted: string): boolean {
  const { name, singularName, kind, shortNames } = resource;
  const others: readonly unknown[] = Array.isArray(shortNames) ? shortNames : [];
  return [name, singularName, String(kind).toLowerCase(), ...others].includes(wanted);
}

/** The members of a list of discovery; none when it does not exist. */
async function itemsAt(
  transport: Transport,
  path: string,
  member: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { body } = await transport.request(path).catch((error: unknown) => {
    if (!isNotServed(error)) throw error;
    return { body: { [member]: [] } };
  });
  const items: unknown = isRecord(body) ? body[member] : undefined;
  if (!Array.isArray(items)) throw transport.malformed('not a list of models');
  // The versions of the empty group are texts.
  return items.map((item: unknown) => (isRecord(item) ? item : { version: item }));
}

/** @throws ApiError `BadRequest` for a name that would lead to another address */
function toSegment(name: string): string {
  if (!/^\.{0,2}$/.test(name)) return encodeURIComponent(name);
  throw misuse(`"${name}" cannot be the name of an object; give its metadata.name`);
}
