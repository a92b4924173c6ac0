import { fail } from '../failure.js';
import { fn, method, scalarKind, STRING, type Overload } from '../overload.js';
import { CelScalar } from '../scalars.js';
import * as types from '../types.js';
import { ComputedList, MadeMap, type Value } from '../values.js';

interface Parts {
  readonly scheme: string;
  /** Includes the port. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** A URL with a scheme, or an absolute path. */
class Url extends CelScalar {
  readonly kind = 'url';

  constructor(
    readonly text: string,
    readonly parts: Parts,
  ) {
    super();
  }

  toString(): string {
    return this.text;
  }
}

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s;
const AUTHORITY = /^\/\/([^/?]*)(.*)$/s;
const HOST = /^(?:\[[0-9A-Fa-f:.]+(?:%25[^\]]+)?\]|[^\s[\]@:]*)(?::\d*)?$/;
/** User information before the host (RFC 3986, section 3.2.1). */
const USER = /^(?:[\w.~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*$/;
const LENGTH_MAX = 10_000;

/** Undefined for a relative URL, and for a text that is not a URL. */
function parsed(text: string): Parts | undefined {
  // eslint-disable-next-line no-control-regex -- a URL must not contain these
  if (text === '' || text.length > LENGTH_MAX || /[\x00-\x1f\x7f]/.test(text)) return undefined;
  const [, scheme = '', rest = text] = SCHEME.exec(text) ?? [];
  const question = rest.indexOf('?');
  const before = question < 0 ? rest : rest.slice(0, question);
  const query = question < 0 ? '' : rest.slice(question + 1);
  if (!before.startsWith('/')) return scheme === '' ? undefined : { scheme, host: '', path: '', query };
  const [, authority = '', path = before] = (scheme === '' ? null : AUTHORITY.exec(before)) ?? [];
  const at = authority.lastIndexOf('@');
  const [user, host] = [authority.slice(0, Math.max(0, at)), authority.slice(at + 1)];
  if (!USER.test(user) || !HOST.test(host) || /%(?![0-9A-Fa-f]{2})/.test(path)) return undefined;
  return { scheme: scheme.toLowerCase(), host, path, query };
}

/** The host without port and brackets, and the port. */
function getHost({ host }: Parts): readonly [name: string, port: string] {
  const [, bracketed, name = '', port = ''] = /^(?:\[(.*)\]|([^:]*))(?::(.*))?$/.exec(host) ?? [];
  return [bracketed ?? name, port];
}

function getQuery({ query }: Parts): Value {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query))
    values.set(name, [...(values.get(name) ?? []), value]);
  return new MadeMap([...values].map(([name, list]) => [name, new ComputedList(list)]));
}

const URL_TYPE = { kind: 'url' } as const;
const URL_KIND = scalarKind(URL_TYPE, Url);

/** Functions of URLs, as in Kubernetes. */
export const URLS: readonly Overload[] = [
  fn('url', [STRING], URL_TYPE, ([text], frame) => {
    frame.spendOnText(text.length);
    const parts = parsed(text);
    return parts === undefined ? fail('the text is not a URL') : new Url(text, parts);
  }),
  fn('isURL', [STRING], types.BOOL, ([text], frame) => {
    frame.spendOnText(text.length);
    return parsed(text) !== undefined;
  }),
  method('getScheme', [URL_KIND], types.STRING, ([{ parts }]) => parts.scheme),
  method('getHost', [URL_KIND], types.STRING, ([{ parts }]) => parts.host),
  method('getHostname', [URL_KIND], types.STRING, ([{ parts }]) => getHost(parts)[0]),
  method('getPort', [URL_KIND], types.STRING, ([{ parts }]) => getHost(parts)[1]),
  method('getEscapedPath', [URL_KIND], types.STRING, ([{ parts }]) =>
    encodeURI(parts.path.toWellFormed()).replaceAll('%25', '%'),
  ),
  method('getQuery', [URL_KIND], types.mapType(types.listType(types.STRING)), ([{ parts }], frame) => {
    frame.spendOnText(parts.query.length);
    return getQuery(parts);
  }),
];
