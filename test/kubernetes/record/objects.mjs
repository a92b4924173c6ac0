// Sends the definitions in the YAML of a directory, then the objects of their kinds, to a kube-apiserver and to a daemon of
// xsvc, and prints where their answers differ. Both are servers for tests, without other definitions:
//   node objects.mjs DIRECTORY URL TOKEN XSVC_URL
import {
  CONVERSION,
  exceptionFor,
  faultsOf,
  firstDifference,
  isAccepted,
  verdictDifference,
  withoutEmpty,
  withoutSystemFields,
} from './compare-answers.mjs';
import { connect, unknownFields, until } from './server.mjs';
import { readObjects } from './yaml-objects.mjs';

const [, , directory, url, token, xsvcUrl] = process.argv;
const reference = connect(url, token);
const own = connect(xsvcUrl);
const both = (...request) => Promise.all([reference(...request), own(...request)]);
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Kinds that need no definition. */
const CORE = ['ConfigMap', 'Secret', 'ServiceAccount'].map((kind) => [
  `v1 ${kind}`,
  { path: '/api/v1', plural: `${kind.toLowerCase()}s`, isNamespaced: true },
]);

const PARALLEL = 4;
const namespaces = new Map();

const { definitions, objects, unread } = readObjects(directory);
console.log(`${unread} documents are no YAML`);
const served = await serve(await judge());
await compareObjects('objects of definitions', served);
await compareObjects('objects of core kinds', new Map(CORE));

/** A count of each outcome; differences without a reason are printed as they are found. */
function counter(what) {
  const counts = new Map([
    ['accepted by both', 0],
    ['refused by both', 0],
    ['different', 0],
  ]);
  return {
    add: (outcome) => counts.set(outcome, (counts.get(outcome) ?? 0) + 1),
    report({ object, file }, outcome, difference) {
      this.add(outcome);
      console.log(`${outcome}: ${object.kind} ${object.metadata?.name} in ${file}: ${difference}`);
    },
    print: () => console.log(`${what}: ${[...counts].map(([name, count]) => `${count} ${name}`).join(', ')}`),
  };
}

/** Compares the verdicts about all definitions, without storing them, and returns those that both servers accept. */
async function judge() {
  const found = counter('definitions');
  const accepted = [];
  await inParallel(definitions, async (one) => {
    const judged = await judgeOne(found, one);
    if (judged === 'accepted') accepted.push(one);
    if (judged !== CONVERSION) return;
    const other = withoutConversion(one);
    if ((await judgeOne(found, other)) === 'accepted') accepted.push(other);
  });
  found.print();
  return accepted;
}

async function judgeOne(found, one) {
  return compare(found, one, await both('POST', `${CRDS}?dryRun=All`, one.object), definitionIn);
}

function withoutConversion({ object, ...rest }) {
  return { ...rest, object: { ...object, spec: without(object.spec, 'conversion') } };
}

async function inParallel(list, work) {
  const rest = list.values();
  const lane = async () => {
    for (const one of rest) await work(one);
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
}

function definitionIn({ metadata, spec }) {
  return withoutEmpty(withoutSystemFields({ metadata: without(metadata, 'finalizers'), spec }));
}

function without(object, member) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== member));
}

/** @returns `accepted` by both, `refused` by both, or the exception that a difference is */
function compare(found, one, [expected, actual], contentOf) {
  const verdict = verdictDifference(expected, actual);
  if (verdict !== undefined) {
    const exception = exceptionFor(expected, actual, one.object);
    if (exception === undefined) found.report(one, 'different', verdict);
    else found.add(`different: ${exception}`);
    return exception;
  }
  if (!isAccepted(expected)) {
    const [faults, ownFaults] = [faultsOf(expected).join(' '), faultsOf(actual).join(' ')];
    if (faults === ownFaults) found.add('refused by both');
    else found.report(one, 'refused by both for other faults', `${faults}, xsvc: ${ownFaults}`);
    return 'refused';
  }
  const unequal =
    firstDifference(contentOf(expected.body), contentOf(actual.body)) ??
    firstDifference(unknownOutsideStatus(expected), unknownOutsideStatus(actual), 'unknown fields');
  if (unequal === undefined) found.add('accepted by both');
  else found.report(one, 'different', unequal);
  return 'accepted';
}

/** Of a status that is left out, xsvc reads no fields. */
function unknownOutsideStatus(answer) {
  return unknownFields(answer).filter((path) => !path.startsWith('status.'));
}

/** Stores one definition of each name, the longest, and returns the resources that they serve. */
async function serve(accepted) {
  const found = counter('stored definitions');
  const byName = new Map();
  for (const one of accepted) {
    const { name } = one.object.metadata;
    if (!(byName.get(name)?.size >= one.size)) byName.set(name, one);
  }
  await inParallel([...byName.values()], ({ object }) => both('POST', CRDS, object));
  const resources = new Map();
  for (const [name, one] of byName) {
    const path = `${CRDS}/${encodeURIComponent(name)}`;
    await until(name, async () => (await both('GET', path)).every(({ body }) => isJudged(body)));
    if (compare(found, one, await both('GET', path), statusIn) === 'accepted')
      for (const [kind, resource] of resourcesOf(one.object)) resources.set(kind, resource);
  }
  found.print();
  return resources;
}

function conditionsOf({ status }) {
  return status?.conditions ?? [];
}

function isJudged(definition) {
  return conditionsOf(definition).some(({ type, status }) =>
    type === 'Established' ? status === 'True' : type === 'NamesAccepted' && status === 'False',
  );
}

function statusIn(definition) {
  const { acceptedNames, storedVersions } = definition.status;
  const conditions = conditionsOf(definition).map(
    ({ type, status, reason }) => `${type} ${status} ${reason}`,
  );
  return { acceptedNames, storedVersions, conditions: conditions.sort() };
}

function resourcesOf({ spec: { group, names, scope, versions } }) {
  return versions
    .filter(({ served }) => served)
    .map(({ name }) => [
      `${group}/${name} ${names.kind}`,
      { path: `/apis/${group}/${name}`, plural: names.plural, isNamespaced: scope === 'Namespaced' },
    ]);
}

/** One object of a kind and name at a time, because each is deleted before the next. */
async function compareObjects(what, resources) {
  const found = counter(what);
  const byPlural = new Map();
  for (const one of objects) {
    const resource = resources.get(`${one.object.apiVersion} ${one.object.kind}`);
    if (resource === undefined) continue;
    const plural = `${resource.plural}.${resource.path.split('/')[2]}`;
    byPlural.set(plural, [...(byPlural.get(plural) ?? []), { one, resource }]);
  }
  await inParallel([...byPlural.values()], async (list) => {
    for (const { one, resource } of list) await compareObject(found, one, await placeOf(one, resource));
  });
  found.print();
}

async function placeOf({ object: { metadata } }, resource) {
  const { path, plural, isNamespaced } = resource;
  resource.ready ??= until(path, async () =>
    (await both('GET', `${path}/${plural}?limit=1`)).every(isAccepted),
  );
  await resource.ready;
  if (!isNamespaced) return `${path}/${plural}`;
  const namespace = String(metadata?.namespace ?? 'default');
  if (!namespaces.has(namespace))
    namespaces.set(namespace, both('POST', '/api/v1/namespaces', { metadata: { name: namespace } }));
  await namespaces.get(namespace);
  return `${path}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

async function compareObject(found, one, place) {
  const answers = await both('POST', place, one.object);
  const stored = await Promise.all(
    answers.map((answer, i) => (isAccepted(answer) ? takeAway([reference, own][i], place, answer) : answer)),
  );
  const isCore = place.startsWith('/api/');
  compare(found, one, stored, (body) => (isCore ? withoutEmpty : (it) => it)(withoutSystemFields(body)));
}

/** The answer with the object as it was stored. */
async function takeAway(ask, place, answer) {
  const path = `${place}/${encodeURIComponent(answer.body.metadata.name)}`;
  const { body } = await ask('GET', path);
  await ask('DELETE', path);
  if (body.metadata?.finalizers !== undefined) await ask('PATCH', path, { metadata: { finalizers: null } });
  return { ...answer, body };
}
