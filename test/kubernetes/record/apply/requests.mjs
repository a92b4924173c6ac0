/*
 * The requests of a sequence about one object. Each depends on the seed, and on what the server answered to those before.
 */
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const NAMESPACE = 'default';
const APPLIERS = ['ann', 'bob', 'cid'];
const UPDATERS = ['ann', 'bob', 'web', 'job'];
/** More than have entries of their own. */
const CROWD = Array.from({ length: 14 }, (_, at) => `crowd-${at}`);

/** The state of a sequence. */
export function newSequence({ kind, name, random, isCrowded = false }) {
  return { kind, name, random, isCrowded, live: undefined, configurations: new Map() };
}

/** Takes over what a server answered to a request. */
export function noteAnswer(sequence, { answer, part, isDry, keep }) {
  if (answer.status >= 300 || isDry) return;
  keep?.();
  if (answer.body.kind === sequence.kind.kind) sequence.live = answer.body;
  else if (part === undefined) sequence.live = undefined;
}

export function nextRequest(sequence) {
  const { random, kind, live } = sequence;
  if (live === undefined) return random.chance(0.35) ? create(sequence) : apply(sequence);
  const make = {
    apply: () => apply(sequence),
    put: () => put(sequence),
    merge: () => merge(sequence),
    json: () => jsonPatch(sequence),
    strategic: () => strategic(sequence),
    status: () => ofStatus(sequence),
    scale: () => ofScale(sequence),
    again: () => create(sequence),
    remove: () => ({ method: 'DELETE', path: pathOf(sequence) }),
  };
  const verb = random.weighted({
    apply: 50,
    put: 12,
    merge: 12,
    json: 8,
    strategic: kind.isCore ? 10 : 0,
    status: kind.status ? 12 : 0,
    scale: kind.hasScale ? 8 : 0,
    again: 1,
    remove: 2,
  });
  return make[verb]();
}

function versionOf({ kind: { versions }, random }) {
  return versions.length > 1 && random.chance(0.25) ? versions[1] : versions[0];
}

const apiVersionOf = ({ kind: { group } }, version) => (group === '' ? version : `${group}/${version}`);

function collectionOf(sequence, version) {
  const { group, plural } = sequence.kind;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}/namespaces/${NAMESPACE}/${plural}`;
}

const pathOf = (sequence, version = sequence.kind.versions[0], part) =>
  `${collectionOf(sequence, version)}/${sequence.name}${part === undefined ? '' : `/${part}`}`;

/** Adds what may be in any write. */
function write(sequence, request, manager) {
  const { random } = sequence;
  const isDry = random.chance(0.04);
  const query = {
    ...(manager !== undefined && { fieldManager: manager }),
    ...request.query,
    ...(isDry && { dryRun: 'All' }),
  };
  return { ...request, query, isDry };
}

/** Undefined for the manager that the client's name says. */
function updaterOf({ random, isCrowded }) {
  if (isCrowded) return random.pick(CROWD);
  return random.chance(0.2) ? undefined : random.pick(UPDATERS);
}

const METADATA = {
  labels: (random) => random.object({ a: () => 'x', b: () => random.pick(['x', 'y']), 'c/d': () => '' }),
  annotations: (random) => random.object({ a: () => random.pick(['1', '2']), b: () => '' }),
  finalizers: (random) => random.some(['example.com/f', 'example.com/g'], 0.3),
  ownerReferences: (random) =>
    random.some(['1', '2'], 0.4).map((digit) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: random.pick(['o', 'p']),
      uid: `${digit.repeat(8)}-1111-4111-8111-111111111111`,
    })),
};

/** Without empty lists and maps: in Kubernetes a later write removes them. */
function metadataOf(random, probability) {
  const made = Object.entries(random.object(METADATA, probability));
  return Object.fromEntries(made.filter(([, value]) => Object.keys(value).length > 0));
}

function isMap(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function merged(base, more) {
  if (!isMap(base) || !isMap(more)) return globalThis.structuredClone(more);
  const names = [...new Set([...Object.keys(base), ...Object.keys(more)])];
  return Object.fromEntries(
    names.map((name) => [
      name,
      name in more ? merged(base[name], more[name]) : globalThis.structuredClone(base[name]),
    ]),
  );
}

/** Values for some of the fields of a kind: at the root, or in `spec`. */
function fieldsOf(fields, random, probability) {
  return Object.fromEntries(
    Object.entries(fields)
      .map(([name, member]) => [
        name,
        typeof member === 'function' ? member(random) : fieldsOf(member, random, probability),
      ])
      .filter(([name]) => isMap(fields[name]) || random.chance(probability)),
  );
}

function fixedOf({ kind: { fixed }, random }) {
  return typeof fixed === 'function' ? fixed(random) : (fixed ?? {});
}

/** True for a field of the spec without which there is no object of the kind. */
const needs = (sequence, field) => field in (fixedOf(sequence).spec ?? {});

function configuration(sequence, probability = 0.25) {
  const { random, kind, name } = sequence;
  const metadata = { name, ...metadataOf(random, 0.2) };
  return { ...merged(fixedOf(sequence), fieldsOf(kind.body, random, probability)), metadata };
}

/** What a manager applied last, with a few fields more, changed or left out. */
function changedConfiguration(sequence, last) {
  const { random, kind, name } = sequence;
  const next = globalThis.structuredClone(last);
  for (const [part, fields] of Object.entries(kind.body)) {
    const isLeaf = typeof fields === 'function';
    if (isLeaf) {
      if (random.chance(0.2)) next[part] = fields(random);
      continue;
    }
    next[part] ??= {};
    for (const field of random.some(Object.keys(fields), 0.12))
      if (field in next[part] && !needs(sequence, field) && random.chance(0.4)) delete next[part][field];
      else next[part][field] = fields[field](random);
  }
  if (random.chance(0.2)) next.metadata = { name, ...metadataOf(random, 0.3) };
  return next;
}

function create(sequence) {
  const version = versionOf(sequence);
  const body = {
    apiVersion: apiVersionOf(sequence, version),
    kind: sequence.kind.kind,
    ...configuration(sequence, 0.3),
  };
  return write(
    sequence,
    { method: 'POST', path: collectionOf(sequence, version), body },
    updaterOf(sequence),
  );
}

function apply(sequence) {
  const { random, configurations } = sequence;
  const version = versionOf(sequence);
  const manager = random.pick(APPLIERS);
  const last = configurations.get(manager);
  const chosen =
    last === undefined || random.chance(0.1)
      ? configuration(sequence)
      : random.chance(0.12)
        ? last
        : changedConfiguration(sequence, last);
  const body = { apiVersion: apiVersionOf(sequence, version), kind: sequence.kind.kind, ...chosen };
  if (random.chance(0.05)) spoil(sequence, body);
  const query = random.chance(0.4) ? { force: 'true' } : {};
  const request = { method: 'PATCH', path: pathOf(sequence, version), type: APPLY, query, body };
  return { ...write(sequence, request, manager), keep: () => configurations.set(manager, chosen) };
}

function locks({ metadata: { resourceVersion, uid } }, body) {
  return [{ resourceVersion }, { uid }, { resourceVersion: '1' }, { uid: '1' }].map(
    (lock) => () => (body.metadata = { ...body.metadata, ...lock }),
  );
}

/** Makes an apply that is refused, or that depends on the state of the object. */
function spoil({ random, live, kind }, body) {
  const spoils = [
    ...(live === undefined ? [] : locks(live, body)),
    () => (body.metadata = { ...body.metadata, managedFields: [] }),
    () => (body.metadata = { ...body.metadata, managedFields: [{ manager: 'x' }] }),
    () => (body.metadata = { ...body.metadata, unknown: 'x' }),
    () => (body.unknown = 'x'),
    () => (body.kind = 'Other'),
    () => (body.apiVersion = 'other.example.com/v1'),
    () => (body.status = { phase: 'p' }),
  ];
  const field = Object.keys(kind.body)[0];
  spoils.push(() => (body[field] = { ...body[field], unknown: 'x' }));
  if (field === 'spec')
    spoils.push(
      () => (body.spec = { ...body.spec, size: 'large' }),
      () => (body.spec = { ...body.spec, tags: ['a', 'a'] }),
      () => (body.spec = { ...body.spec, ports: [{ name: 'web' }, { name: 'web' }] }),
      () => (body.spec = { ...body.spec, ports: [{ port: 1 }] }),
      () => (body.spec = { ...body.spec, size: -1 }),
    );
  random.pick(spoils)();
}

/** A copy of the object with a few changes. */
function changed(sequence) {
  const { random, kind, live } = sequence;
  const next = globalThis.structuredClone(live);
  for (const [part, fields] of Object.entries(kind.body)) {
    const names = typeof fields === 'function' ? [] : random.some(Object.keys(fields), 0.12);
    for (const field of names) {
      next[part] ??= {};
      if (next[part][field] !== undefined && random.chance(0.3)) delete next[part][field];
      else next[part][field] = fields[field](random);
    }
  }
  Object.assign(next, merged(next, fixedIfAbsent(sequence, next)));
  if (random.chance(0.2)) Object.assign(next.metadata, metadataOf(random, 0.4));
  return next;
}

/** A kind may need fields that a change has removed. */
function fixedIfAbsent(sequence, next) {
  const fixed = fixedOf(sequence);
  if (fixed.spec === undefined) return {};
  const lacking = Object.entries(fixed.spec).filter(([name]) => next.spec?.[name] === undefined);
  return { spec: Object.fromEntries(lacking) };
}

function setManagedFields({ random }, { metadata }) {
  const entries = metadata.managedFields;
  const how = random.weighted({ same: 50, none: 30, reset: 5, empty: 5, fewer: 6, wrong: 4 });
  if (how === 'none') delete metadata.managedFields;
  if (how === 'reset') metadata.managedFields = [{}];
  if (how === 'empty') metadata.managedFields = [];
  if (how === 'fewer' && entries !== undefined) metadata.managedFields = entries.slice(1);
  if (how === 'wrong' && entries !== undefined)
    metadata.managedFields = entries.map((entry) => ({ ...entry, fieldsType: 'FieldsV9' }));
}

function put(sequence) {
  const { random } = sequence;
  const version = versionOf(sequence);
  const body = { ...changed(sequence), apiVersion: apiVersionOf(sequence, version) };
  setManagedFields(sequence, body);
  if (random.chance(0.04)) body.metadata.resourceVersion = '1';
  return write(sequence, { method: 'PUT', path: pathOf(sequence, version), body }, updaterOf(sequence));
}

function changes(sequence) {
  const { random, kind } = sequence;
  const body = fieldsOf(kind.body, random, 0.12);
  for (const part of Object.values(body))
    if (isMap(part))
      for (const name of Object.keys(part))
        if (!needs(sequence, name) && random.chance(0.2)) part[name] = null;
  if (random.chance(0.2)) body.metadata = metadataOf(random, 0.4);
  if (random.chance(0.04)) body.metadata = { ...body.metadata, managedFields: random.pick([[{}], [], null]) };
  return body;
}

function merge(sequence) {
  const version = versionOf(sequence);
  const body = changes(sequence);
  const path = pathOf(sequence, version);
  return write(sequence, { method: 'PATCH', path, type: MERGE, body }, updaterOf(sequence));
}

function strategic(sequence) {
  const request = merge(sequence);
  return { ...request, type: STRATEGIC };
}

const pointer = (name) => name.replaceAll('~', '~0').replaceAll('/', '~1');

function jsonPatch(sequence) {
  const { random, kind, live } = sequence;
  const operations = [];
  for (const [part, fields] of Object.entries(kind.body)) {
    if (typeof fields === 'function') continue;
    if (live[part] === undefined) operations.push({ op: 'add', path: `/${part}`, value: {} });
    for (const field of random.some(Object.keys(fields), 0.12)) {
      const path = `/${part}/${pointer(field)}`;
      const isThere = live[part]?.[field] !== undefined;
      if (isThere && !needs(sequence, field) && random.chance(0.3)) operations.push({ op: 'remove', path });
      else operations.push({ op: isThere ? 'replace' : 'add', path, value: fields[field](random) });
    }
    for (const [field, value] of Object.entries(live[part] ?? {}))
      if (Array.isArray(value) && value.length > 0 && random.chance(0.05))
        operations.unshift({ op: 'remove', path: `/${part}/${pointer(field)}/0` });
  }
  if (live.metadata.managedFields !== undefined && random.chance(0.08))
    operations.push(
      random.pick([
        { op: 'remove', path: '/metadata/managedFields/0' },
        { op: 'replace', path: '/metadata/managedFields', value: [{}] },
        { op: 'replace', path: '/metadata/managedFields/0/manager', value: 'renamed' },
        { op: 'replace', path: '/metadata/managedFields/0/operation', value: 'Apply' },
      ]),
    );
  if (random.chance(0.05)) operations.push({ op: 'test', path: '/metadata/name', value: 'other' });
  const path = pathOf(sequence, versionOf(sequence));
  return write(sequence, { method: 'PATCH', path, type: JSON_PATCH, body: operations }, updaterOf(sequence));
}

function ofStatus(sequence) {
  const { random, kind, live, configurations } = sequence;
  const version = versionOf(sequence);
  const request = { path: pathOf(sequence, version, 'status'), part: 'status' };
  const status = random.object(kind.status, 0.4);
  const type = { apiVersion: apiVersionOf(sequence, version), kind: kind.kind };
  // What a write of the status says about the rest of the object is ignored.
  const more =
    !kind.isCore && random.chance(0.2) ? configuration(sequence, 0.1) : { metadata: { name: sequence.name } };
  const how = random.weighted({ apply: 50, put: 25, merge: 25 });
  if (how === 'put') {
    const body = { ...globalThis.structuredClone(live), ...type, status };
    if (!kind.isCore && random.chance(0.2)) Object.assign(body.metadata, metadataOf(random, 0.4));
    return write(sequence, { ...request, method: 'PUT', body }, updaterOf(sequence));
  }
  if (how === 'merge') {
    const body = { ...(!kind.isCore && random.chance(0.2) && changes(sequence)), status };
    return write(sequence, { ...request, method: 'PATCH', type: MERGE, body }, updaterOf(sequence));
  }
  const manager = random.pick(APPLIERS);
  const key = `${manager}/status`;
  const known = configurations.get(key);
  const chosen = known !== undefined && random.chance(0.2) ? known : { ...more, status };
  const query = random.chance(0.5) ? { force: 'true' } : {};
  const applied = { ...request, method: 'PATCH', type: APPLY, query, body: { ...type, ...chosen } };
  return { ...write(sequence, applied, manager), keep: () => configurations.set(key, chosen) };
}

function ofScale(sequence) {
  const { random, name, live } = sequence;
  const request = { path: pathOf(sequence, versionOf(sequence), 'scale'), part: 'scale' };
  const spec = { replicas: 1 + random.below(4) };
  const scale = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, namespace: NAMESPACE },
    spec,
  };
  const how = random.weighted({ apply: 50, put: 20, merge: 20, get: 10 });
  if (how === 'get') return { ...request, method: 'GET' };
  if (how === 'put') {
    const { resourceVersion } = live.metadata;
    const body = {
      ...scale,
      metadata: { ...scale.metadata, ...(random.chance(0.5) && { resourceVersion }) },
    };
    return write(sequence, { ...request, method: 'PUT', body }, updaterOf(sequence));
  }
  if (how === 'merge')
    return write(sequence, { ...request, method: 'PATCH', type: MERGE, body: { spec } }, updaterOf(sequence));
  const query = random.chance(0.5) ? { force: 'true' } : {};
  const applied = { ...request, method: 'PATCH', type: APPLY, query, body: scale };
  return write(sequence, applied, random.pick(APPLIERS));
}

/** Shows what the writes of a part have made of the object. */
export const readObject = (sequence) => ({ method: 'GET', path: pathOf(sequence) });
