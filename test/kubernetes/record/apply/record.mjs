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

/** Most milliseconds between a write and its answer. */
const DELAY_MS = 3_000;

/**
 * The time of a write, which the managers show when it has changed their fields.
 * @param knownMs the last time that they showed before
 */
function timeOf({ body }, knownMs) {
  const times = (body.metadata?.managedFields ?? []).map(({ time }) => Date.parse(time) || 0);
  const lastMs = Math.max(0, ...times);
  const isRecent = lastMs === knownMs && Date.now() - lastMs < DELAY_MS;
  return lastMs > knownMs || isRecent ? lastMs : Math.floor(Date.now() / 1_000) * 1_000;
}

let turn = 0;

/** A sequence whose requests and answers are kept. */
class Recording {
  steps = [];
  #names = new Names(startMs);
  #knownMs = startMs;

  constructor(title) {
    this.title = title;
  }

  async ask(request) {
    const { method, path, query, type, body } = this.#names.shown(request);
    const answer = await send({ method, path, query, type, body });
    const atMs = timeOf(answer, this.#knownMs);
    const at = (atMs - startMs) / 1_000;
    this.#knownMs = Math.max(this.#knownMs, atMs);
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
  const { nothing, ...spec } = body.spec ?? {};
  const rest = nothing === undefined ? body.spec : spec;
  return /Invalid value: "null"/.test(body.message) || /:null[,}]/.test(JSON.stringify(rest ?? {}));
}

/** True for a write that has changed nothing but the resource version, and perhaps the managers to fit a new schema. */
function isOnlyNewRevision(before, { type }, { body }) {
  if (before?.kind !== body.kind || type === 'application/apply-patch+yaml') return false;
  const { resourceVersion, managedFields } = before.metadata;
  if (body.metadata.resourceVersion === resourceVersion) return false;
  return isDeepStrictEqual(before, {
    ...body,
    metadata: { ...body.metadata, resourceVersion, managedFields },
  });
}

/** True for an object with two entries of one manager: an error of the server after a write of the scale. */
function hasManagerTwice({ body }) {
  const names = (body.metadata?.managedFields ?? []).map(({ manager, operation, apiVersion, subresource }) =>
    [manager, operation, apiVersion, subresource].join(),
  );
  return new Set(names).size < names.length;
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
    const isPart = request.part !== undefined && answer.status < 300;
    const shown = isPart ? await this.recording.ask(readObject(sequence)) : answer;
    if (isPart) noteAnswer(sequence, { answer: shown });
    if (request.method === 'DELETE' && answer.status === 200) await this.#finalize();
    const isOff = isOnlyNewRevision(before, request, answer) || hasManagerTwice(shown);
    if (leavesNull(answer) || isOff) this.#restart();
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
