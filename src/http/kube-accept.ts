/**
 * A shape of an answer that Kubernetes clients ask for by parameters of the media type:
 * `application/json;as=Table;v=v1;g=meta.k8s.io`.
 */
export interface Shape {
  readonly kind: string;
  readonly group: string;
  readonly versions: readonly string[];
}

/** Also what is accepted when the answer is to have no special shape. */
const PLAIN = /^(application\/(json|\*|yaml|x-yaml)|text\/yaml|\*\/\*)$/;

/**
 * The version of the shape that a client likes best; undefined when it likes an ordinary answer more, or does not
 * ask for the shape in a version there is. The first of equals counts (RFC 9110 leaves it open).
 */
export function versionAccepted(accept: string | undefined, shape: Shape): string | undefined {
  if (accept?.includes(shape.kind) !== true) return undefined;
  let best: string | undefined;
  let quality = 0;
  for (const member of accept.split(',')) {
    const found = readMember(member, shape);
    if (found === undefined || found.quality <= quality) continue;
    best = found.version;
    quality = found.quality;
  }
  return best;
}

/** Undefined for what cannot be answered; no `version` stands for an ordinary answer. */
function readMember(
  member: string,
  { kind, group, versions }: Shape,
): { readonly version: string | undefined; readonly quality: number } | undefined {
  const [type = '', ...rest] = member.split(';').map((part) => part.trim());
  if (!PLAIN.test(type.toLowerCase())) return undefined;
  const parameters = new Map(rest.map(readParameter));
  const quality = Number(parameters.get('q') ?? 1);
  const as = parameters.get('as');
  if (as === undefined) return { version: undefined, quality };
  const version = versions.find((one) => one === parameters.get('v'));
  const isAsked = as === kind && parameters.get('g') === group && type.toLowerCase() === 'application/json';
  return isAsked && version !== undefined ? { version, quality } : undefined;
}

function readParameter(text: string): [string, string] {
  const equals = text.indexOf('=');
  return [text.slice(0, equals).trim().toLowerCase(), text.slice(equals + 1).replace(/^"(.*)"$/, '$1')];
}
