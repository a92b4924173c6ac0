import { MARK, type FetchMessage, type ToConsole } from '../../../bridge/messages.js';
import { isObject, type JsonObject } from '../../../lib/json.js';

const METHODS: readonly unknown[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** In characters. */
const ROUTE_MAX = 4_000;
const TITLE_MAX = 100;
const METHOD_MAX = 10;

/** A message of a page; undefined for a value that is not exactly one. */
export function readMessage(data: unknown): ToConsole | undefined {
  if (!has(data, 'mark', 'message') || data.mark !== MARK) return undefined;
  const { message } = data;
  if (!isObject(message) || !Object.hasOwn(message, 'kind')) return undefined;
  switch (message.kind) {
    case 'hello':
      return has(message, 'kind') ? { kind: 'hello' } : undefined;
    case 'fetch':
      return readFetch(message);
    case 'navigate':
      return has(message, 'kind', 'route') && isRoute(message.route)
        ? { kind: 'navigate', route: message.route }
        : undefined;
    case 'title':
      return has(message, 'kind', 'title') && isText(message.title, TITLE_MAX)
        ? { kind: 'title', title: message.title }
        : undefined;
    case 'height':
      return has(message, 'kind', 'height') && Number.isFinite(message.height)
        ? { kind: 'height', height: Number(message.height) }
        : undefined;
    default:
      return undefined;
  }
}

function readFetch(message: JsonObject): FetchMessage | undefined {
  if (!has(message, 'kind', 'id', 'path', 'method', 'headers', 'body')) return undefined;
  const { id, path, method, headers, body } = message;
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined;
  if (typeof path !== 'string' || !isText(method, METHOD_MAX) || typeof body !== 'string') return undefined;
  if (!isTexts(headers)) return undefined;
  return { kind: 'fetch', id, path, method, headers: { ...headers }, body };
}

/** True for an object with these members and no others. */
function has<N extends string>(
  value: unknown,
  ...names: readonly N[]
): value is Readonly<Record<N, unknown>> {
  return (
    isObject(value) &&
    Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name))
  );
}

function isText(value: unknown, lengthMax: number): value is string {
  return typeof value === 'string' && value.length <= lengthMax;
}

/** Only routes of the console: a page must not lead to other addresses. */
function isRoute(value: unknown): value is string {
  return isText(value, ROUTE_MAX) && /^#\/[^\s]*$/.test(value);
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((one) => typeof one === 'string');
}

export function isMethod(method: string): method is 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' {
  return METHODS.includes(method);
}
