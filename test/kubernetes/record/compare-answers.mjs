/** Set by the server, or, as `updateTimestamp`, by xsvc alone. */
const SYSTEM = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'updateTimestamp',
  'managedFields',
];

export const isAccepted = ({ code }) => code < 300;

export const CONVERSION = 'conversion by webhooks';

/**
 * Why an answer about an object may differ; the reasons are in docs/internals/decisions.md, and in the list of kinds of
 * Kubernetes.
 */
const EXCEPTIONS = {
  [CONVERSION]: (_, own) => /spec\.conversion\.strategy: must be None/.test(messageOf(own)),
  'the cost of a rule is estimated': (reference) => /estimated rule cost/.test(messageOf(reference)),
  'a value of a wrong type is 422': (reference, own) => reference.code === 400 && own.code === 422,
  'no namespace can have the name': (reference, own) =>
    reference.code >= 404 && /metadata\.namespace: must be/.test(messageOf(own)),
  'a bound outside of the format': (reference) =>
    /(Maximum|Minimum) boundary value must be of type/.test(messageOf(reference)),
  'a label of null': (reference, own, { metadata }) =>
    reference.code === 422 && isAccepted(own) && Object.values(metadata?.labels ?? {}).includes(null),
  'the account that each namespace has': (_, own, { kind, metadata }) =>
    own.code === 409 && kind === 'ServiceAccount' && metadata.name === 'default',
  'the resource version of a new object': (reference) =>
    /^resourceVersion should not be set/.test(messageOf(reference)),
};

const messageOf = ({ body }) => String(body.message ?? '');

/** What differs between the verdicts of two servers; undefined for nothing. */
export function verdictDifference(reference, own) {
  const [expected, actual] = [verdictOf(reference), verdictOf(own)];
  if (expected === actual) return undefined;
  return `${expected}, xsvc: ${actual}: ${messageOf(isAccepted(own) ? reference : own)}`;
}

export function exceptionFor(reference, own, object) {
  return Object.keys(EXCEPTIONS).find((name) => EXCEPTIONS[name](reference, own, object));
}

function verdictOf({ code, body }) {
  return code < 300 ? 'accepted' : `${String(code)[0]}xx ${body.reason ?? ''}`;
}

/** The paths at fault, sorted. */
export function faultsOf({ body }) {
  const fields = (body.details?.causes ?? []).map(({ field }) => field);
  // A kube-apiserver adds a cause without a field when it has skipped rules.
  const written = fields.filter((field) => field !== '<nil>').map(comparable);
  return [...new Set(written)].sort();
}

const comparable = (field = '') =>
  field
    // The path of its internal type, for a definition with one version.
    .replace(/^spec\.validation\./, 'spec.versions[0].schema.')
    .replace(/^metadata\.labels\..*/, 'metadata.labels')
    .replace(/\[(?!\d+\])([^\]]*)\]/g, '.$1');

/** The first path with different values; undefined when both are equal. */
export function firstDifference(expected, actual, path = '') {
  if (!isContainer(expected) || !isContainer(actual) || Array.isArray(expected) !== Array.isArray(actual))
    return Object.is(expected, actual) ? undefined : `${path}: ${shown(expected)}, xsvc: ${shown(actual)}`;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const found = firstDifference(expected[key], actual[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isContainer = (value) => typeof value === 'object' && value !== null;
const shown = (value) => (JSON.stringify(value) ?? 'absent').slice(0, 200);

/** A generated name is left out. */
export function withoutSystemFields({ metadata = {}, ...object }) {
  const kept = Object.entries(metadata).filter(([name]) => !SYSTEM.includes(name));
  const named = metadata.generateName === undefined ? kept : kept.filter(([name]) => name !== 'name');
  return { ...object, metadata: Object.fromEntries(named) };
}

/** Without nulls and empty values, which a kube-apiserver leaves out of a stored definition, and xsvc keeps. */
export function withoutEmpty(value) {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(withoutEmpty);
  const kept = Object.entries(value)
    .map(([name, member]) => [name, withoutEmpty(member)])
    .filter(([, member]) => !isEmpty(member));
  return Object.fromEntries(kept);
}

const isEmpty = (value) =>
  isContainer(value) ? Object.keys(value).length === 0 : value === null || value === false || !value;
