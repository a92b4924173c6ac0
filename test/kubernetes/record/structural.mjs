// Asks a kube-apiserver about the objects of structural-cases.mjs, and writes its answers as data:
//   node structural.mjs URL TOKEN > ../structural-answers.json
import { connect, unknownFields, until } from './server.mjs';
import { CASES } from './structural-cases.mjs';

const [, , url, token] = process.argv;
// A group of its own, because a deleted definition goes slowly.
const GROUP = `structural-${Date.now().toString(36)}.reference.test`;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const ask = connect(url, token);

/** A default shows which schema is in use. */
const MARK = 'revisionmark';

function definition({ name }, schema, revision) {
  const plural = `${name}s`;
  const marked = {
    ...schema,
    properties: { ...schema.properties, [MARK]: { type: 'string', default: `r${revision}` } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: { plural, singular: name, kind: kindOf(name), listKind: `${kindOf(name)}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: marked } }],
    },
  };
}

const kindOf = (name) => name[0].toUpperCase() + name.slice(1);

async function isInUse(path, kind, revision) {
  const probe = { apiVersion: `${GROUP}/v1`, kind, metadata: { name: 'aa' }, spec: {} };
  const { body } = await ask('POST', `${path}?dryRun=All`, probe);
  return body[MARK] === `r${revision}`;
}

const SYSTEM = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields'];

function stored(object) {
  const kept = Object.entries(object.metadata).filter(([name]) => !SYSTEM.includes(name));
  const copy = { ...object, apiVersion: 'structural.reference.test/v1', metadata: Object.fromEntries(kept) };
  delete copy[MARK];
  return copy;
}

function answered({ code, warnings, body }) {
  const unknown = unknownFields({ warnings });
  if (code < 300) return { code, stored: stored(body), unknown };
  const fields = [...new Set((body.details?.causes ?? []).map(({ field }) => field))].sort();
  return { code, fields, unknown };
}

async function record(one) {
  const kind = kindOf(one.name);
  const path = `/apis/${GROUP}/v1/${one.name}s`;
  const made = await ask('POST', CRDS, definition(one, one.schema, 0));
  if (made.code !== 201) throw new Error(`${one.name}: ${JSON.stringify(made.body)}`);
  await until('the kind', () => isInUse(path, kind, 0));
  const answers = [];
  let revision = 0;
  for (const { object, schema } of one.steps) {
    if (schema !== undefined) {
      const { body } = await ask('GET', `${CRDS}/${one.name}s.${GROUP}`);
      revision += 1;
      const next = definition(one, schema, revision);
      next.metadata.resourceVersion = body.metadata.resourceVersion;
      const put = await ask('PUT', `${CRDS}/${one.name}s.${GROUP}`, next);
      if (put.code !== 200) throw new Error(`${one.name}: ${JSON.stringify(put.body)}`);
      await until('the schema', () => isInUse(path, kind, revision));
    }
    const sent = { apiVersion: `${GROUP}/v1`, kind, ...object };
    const before = await ask('GET', `${path}/${object.metadata.name}`);
    if (before.code === 200) {
      sent.metadata = { ...sent.metadata, resourceVersion: before.body.metadata.resourceVersion };
      answers.push(answered(await ask('PUT', `${path}/${object.metadata.name}`, sent)));
    } else answers.push(answered(await ask('POST', path, sent)));
  }
  // An object with a finalizer would keep the definition.
  for (const { object } of one.steps)
    if (object.metadata.finalizers !== undefined)
      await ask('PATCH', `${path}/${object.metadata.name}`, { metadata: { finalizers: null } });
  await ask('DELETE', `${CRDS}/${one.name}s.${GROUP}`);
  return [one.name, answers];
}

const recorded = [];
for (const one of CASES) recorded.push(await record(one));
process.stdout.write(`${JSON.stringify(Object.fromEntries(recorded), undefined, 1)}\n`);
