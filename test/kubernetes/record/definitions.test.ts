import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { formatYaml } from '../../../src/lib/json/yaml.js';
import type { JsonObject } from '../../../src/model/object.js';
import { Random } from '../../helpers/seed.js';
import {
  definitionOf,
  definitionsOfNames,
  objectAt,
  readCases,
  readData,
  textAt,
  type DefinitionCase,
  type NameCase,
} from '../crd/cases.js';
import { randomDefinition } from '../crd/random-definitions.js';

/*
 * Records the answers of a kube-apiserver for the tests of definitions:
 *   KUBE_URL=https://... KUBE_TOKEN=... SEED=1 npx vitest run --config vitest.config.ts test/kubernetes/record
 * The server is one for tests: definitions are made in it and deleted. When its certificate is not known to Node,
 * set NODE_EXTRA_CA_CERTS. Sentences of the server are not recorded.
 */
const { KUBE_URL: url, KUBE_TOKEN: token = '', SEED = '1' } = process.env;
const RANDOM_COUNT = 300;

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

async function ask(method: string, path: string, body?: JsonObject): Promise<Answer> {
  const response = await fetch(`${String(url)}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as JsonObject };
}

/** The paths at fault; `unreadable` for a definition with a value of a wrong type. */
function faultsIn({ status, body }: Answer): string[] | 'unreadable' {
  if (status === 200 || status === 201) return [];
  if (status === 400) return 'unreadable';
  const { causes } = objectAt(body, 'details');
  if (status !== 422 || !Array.isArray(causes)) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return [...new Set((causes as unknown as { field: string }[]).map(({ field }) => field))].sort();
}

function nameOf(definition: JsonObject): string {
  return textAt(objectAt(definition, 'metadata'), 'name');
}

async function waitFor(path: string, isReached: (answer: Answer) => boolean): Promise<JsonObject> {
  for (;;) {
    const answer = await ask('GET', path);
    if (isReached(answer)) return answer.body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Makes a definition and waits until its names are judged, and it is established when they are accepted. */
async function make(definition: JsonObject): Promise<JsonObject> {
  const { status, body } = await ask('POST', PATH, definition);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return waitFor(`${PATH}/${nameOf(definition)}`, ({ body: stored }) => {
    const conditions = (objectAt(stored, 'status').conditions ?? []) as { type: string; status: string }[];
    return conditions.some(
      ({ type, status: is }) =>
        (type === 'Established' && is === 'True') || (type === 'NamesAccepted' && is === 'False'),
    );
  });
}

async function remove(definition: JsonObject): Promise<void> {
  const path = `${PATH}/${nameOf(definition)}`;
  await ask('DELETE', path);
  await waitFor(path, ({ status }) => status === 404);
}

async function recordCase(one: DefinitionCase): Promise<string[] | 'unreadable'> {
  const definition = definitionOf(one);
  const { stored, besides } = one;
  if (stored === undefined) return faultsIn(await ask('POST', `${PATH}?dryRun=All`, definition));
  const other =
    besides &&
    definitionOf({ metadata: { name: `${besides.plural}.example.com` }, spec: { names: { ...besides } } });
  if (other !== undefined) await make(other);
  const made = await make(definitionOf(stored));
  const { resourceVersion } = objectAt(made, 'metadata');
  const changed = { ...definition, metadata: { ...objectAt(definition, 'metadata'), resourceVersion } };
  const answer = await ask('PUT', `${PATH}/${nameOf(made)}?dryRun=All`, changed);
  await remove(made);
  if (other !== undefined) await remove(other);
  return faultsIn(answer);
}

async function recordNames(one: NameCase): Promise<JsonObject> {
  const { first, second } = definitionsOfNames(one);
  await make(first);
  const status = objectAt(await make(second), 'status');
  await remove(second);
  await remove(first);
  const conditions = status.conditions as { type: string; status: string; reason: string }[];
  const { status: is = '', reason = '' } = conditions.find(({ type }) => type === 'NamesAccepted') ?? {};
  return { accepted: status.acceptedNames ?? {}, status: is, reason };
}

function write(file: string, value: unknown): void {
  writeFileSync(new URL(`../crd/recorded/${file}.yaml`, import.meta.url), formatYaml(value));
}

it.skipIf(url === undefined)('records the faults of the cases', async () => {
  const faults: Record<string, unknown> = {};
  for (const [name, one] of readCases()) faults[name] = await recordCase(one);
  write('cases', faults);
});

it.skipIf(url === undefined)('records which names are accepted', async () => {
  const accepted: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(readData<Record<string, NameCase>>('conflicts.yaml')))
    accepted[name] = await recordNames(one);
  write('conflicts', accepted);
});

it.skipIf(url === undefined)('records the defaults of a definition', async () => {
  const { body } = await ask('POST', `${PATH}?dryRun=All`, readData<JsonObject>('plain.yaml'));
  write('defaults', objectAt(body, 'spec'));
});

it.skipIf(url === undefined)(`records the faults of random definitions, seed ${SEED}`, async () => {
  const random = new Random(Number(SEED));
  const digest = createHash('sha256');
  const faults: unknown[] = [];
  for (let i = 0; i < RANDOM_COUNT; i += 1) {
    const definition = randomDefinition(random);
    digest.update(JSON.stringify(definition));
    faults.push(faultsIn(await ask('POST', `${PATH}?dryRun=All`, definition)));
  }
  write('random', { seed: random.seed, digest: digest.digest('hex'), faults });
});
