// Asks a new kube-apiserver for writes of several managers, and writes requests and answers as data:
//   NODE_TLS_REJECT_UNAUTHORIZED=0 node record.mjs URL TOKEN [SEED] | gzip -9 > ../../apply/apiserver.json.gz
import { isDeepStrictEqual } from 'node:util';
import { until } from '../server.mjs';
import { CASES } from './cases.mjs';
import { CONFIG_MAPS, DEPLOYMENTS, MARK, SECRETS, SERVICES, shifts, WIDGETS } from './kinds.mjs';
import { Names } from './names.mjs';
import { Random } from './random.mjs';
import { newSequence, nextRequest, noteAnswer, readObject } from './requests.mjs';

const [, , url, token, seed = '1'] = process.argv;
const ROUNDS = 34;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const random = new Random(Number(seed));
const startMs = Math.floor(Date.now() / 1_000) * 1_000;

async function send({ method, path, query = {}, type = 'application/json', body }) {
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`${url}${path}${search === '' ? '' : `?${search}`}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': type, 'user-agent': 'recorder/1.0 (x)' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { text } };
}

/** The clocks of two processes may differ by a little. */
const CLOCK_MS = 50;

/** The second of a write, which the managers show. */
function secondOf(sentMs, { body }) {
  const times = (body.metadata?.managedFields ?? []).map(({ time }) => Date.parse(time));
  const now = Math.floor(Date.now() / 1_000) * 1_000;
  const last = Math.max(0, ...times);
  return (last >= Math.floor((sentMs - CLOCK_MS) / 1_000) * 1_000 ? last : now) / 1_000 - startMs / 1_000;
}

let turn = 0;

/** A sequence whose requests and answers are kept. */
class Recording {
  steps = [];
  #names = new Names(startMs);

  constructor(title) {
    this.title = title;
  }

  async ask(request) {
    const { method, path, query, type, body } = this.#names.shown(request);
    const sentMs = Date.now();
    const answer = await send({ method, path, query, type, body });
    const at = secondOf(sentMs, answer);
    const kept = {
      status: answer.status,
      body: this.#names.noted(answer.body, method === 'DELETE' || query?.dryRun !== undefined),
    };
    this.steps.push({
      turn: turn++,
      at,
      request: this.#names.hidden({ method, path, query, type, body }),
      answer: kept,
    });
    return answer;
  }

  /** Creates a definition or replaces it, and waits until its schema is in use. */
  async define(definition, revision) {
    const target = `${CRDS}/${definition.metadata.name}`;
    const { status, body } = await send({ method: 'GET', path: target });
    const { resourceVersion } = body.metadata ?? {};
    const made =
      status === 404
        ? await send({ method: 'POST', path: CRDS, body: definition })
        : await send({
            method: 'PUT',
            path: target,
            body: { ...definition, metadata: { ...definition.metadata, resourceVersion } },
          });
    if (made.status > 201) throw new Error(JSON.stringify(made.body));
    await until('the schema', () => isInUse(definition, revision));
    this.steps.push({ turn: turn++, at: 0, definition });
  }
}

async function isInUse({ spec }, revision) {
  const { group, names, versions } = spec;
  for (const { name } of versions) {
    const path = `/apis/${group}/${name}/namespaces/default/${names.plural}`;
    const probe = {
      apiVersion: `${group}/${name}`,
      kind: names.kind,
      metadata: { name: 'probe' },
      [MARK]: `r${revision}`,
    };
    const { status } = await send({ method: 'POST', path, query: { dryRun: 'All' }, body: probe });
    if (status !== 201) return false;
  }
  return true;
}

async function recordCases() {
  const recordings = [];
  for (const [title, requests] of Object.entries(CASES)) {
    const recording = new Recording(title);
    for (const request of requests) await recording.ask(request);
    recordings.push(recording);
  }
  return recordings;
}

/** True for an apply that has left a null of which no manager has said anything: an error of the server. */
function leavesNull({ body }) {
  const { nothing: _, ...spec } = body.spec ?? {};
  return /Invalid value: "null"/.test(body.message) || /:null[,}]/.test(JSON.stringify(spec));
}

/** True for a write that has changed nothing but the resource version. */
function isOnlyNewRevision(before, { body }) {
  const { resourceVersion } = before?.metadata ?? {};
  if (before?.kind !== body.kind || body.metadata.resourceVersion === resourceVersion) return false;
  return isDeepStrictEqual(before, { ...body, metadata: { ...body.metadata, resourceVersion } });
}

class RandomSequence {
  #sequence;
  #shift;
  #revision = 0;

  constructor(kind, number, isCrowded) {
    const name = `${kind.plural}-${number}`;
    this.recordings = [new Recording(name)];
    this.#sequence = newSequence({ kind, name, random: new Random(random.below(2 ** 31)), isCrowded });
    this.#shift = kind.schemaOf === undefined ? undefined : kind;
  }

  async step() {
    const sequence = this.#sequence;
    const isShifted = this.#revision === 0 || sequence.random.chance(0.18);
    if (this.#shift !== undefined && isShifted) await this.#changeSchema(this.#shift);
    const request = nextRequest(sequence);
    const before = sequence.live;
    const answer = await this.recording.ask(request);
    noteAnswer(sequence, { ...request, answer });
    if (request.part !== undefined && answer.status < 300)
      noteAnswer(sequence, { answer: await this.recording.ask(readObject(sequence)) });
    if (request.method === 'DELETE' && answer.status === 200) await this.#finalize();
    if (leavesNull(answer) || isOnlyNewRevision(before, answer)) this.#restart();
  }

  get recording() {
    return this.recordings.at(-1);
  }

  /** Goes on with a new object, after an error of the server. */
  #restart() {
    const { name, ...sequence } = this.#sequence;
    const next = `${name}x`;
    this.#sequence = newSequence({ ...sequence, name: next });
    this.recordings.push(new Recording(next));
  }

  /** An object with finalizers is still there. */
  async #finalize() {
    const request = readObject(this.#sequence);
    const { status } = await this.recording.ask(request);
    this.#sequence.live = undefined;
    if (status !== 200) return;
    const body = { metadata: { finalizers: null } };
    await this.recording.ask({ ...request, method: 'PATCH', type: 'application/merge-patch+json', body });
  }

  async #changeSchema({ fieldNames, schemaOf }) {
    this.#revision += 1;
    const { random: own } = this.#sequence;
    await this.recording.define(schemaOf(own.some(fieldNames), this.#revision), this.#revision);
  }
}

function randomSequences() {
  const counts = [
    [WIDGETS, 36],
    [CONFIG_MAPS, 8],
    [SECRETS, 3],
    [SERVICES, 4],
    [DEPLOYMENTS, 8],
  ];
  const plain = counts.flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, at) => new RandomSequence(kind, at, at % 9 === 8)),
  );
  return [...plain, ...Array.from({ length: 8 }, (_, at) => new RandomSequence(shifts(at), 0, false))];
}

async function nextSecond() {
  const left = 1_020 - (Date.now() % 1_000);
  await new Promise((done) => setTimeout(done, left));
}

const definitions = new Recording('definitions');
await definitions.define(WIDGETS.definition, 0);
const cases = await recordCases();
const sequences = randomSequences();
for (let round = 0; round < ROUNDS; round++) {
  // Some writes of an object are in the same second, and some are not.
  if (random.chance(0.5)) await nextSecond();
  for (const sequence of sequences) if (random.chance(0.9)) await sequence.step();
}
const recordings = [definitions, ...cases, ...sequences.flatMap((sequence) => sequence.recordings)];
const { body: version } = await send({ method: 'GET', path: '/version' });
const kept = recordings.map(({ title, steps }) => ({ title, steps }));
process.stdout.write(JSON.stringify({ server: version.gitVersion, sequences: kept }));
