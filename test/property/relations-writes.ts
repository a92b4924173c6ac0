import { expect } from 'vitest';
import { runCli } from '../helpers/cli.js';
import type { DaemonProcess } from '../helpers/daemon.js';
import type { HttpAnswer } from '../helpers/http.js';
import type { Random } from '../helpers/seed.js';
import { REFERENCE_GROUP, REFERENCE_NAMES } from './reference-fields.js';
import { API_VERSION, randomSpec, type RelatedModel, type RelatedSpec } from './relations-models.js';
import { randomRuled } from './rule-pairs.js';

const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const HOLD = 'example.com/hold';
const PATCH_TYPES = { merge: 'application/merge-patch+json', json: 'application/json-patch+json' };

export interface RelatedObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly version: number;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
  };
  readonly kind: string;
  readonly spec: RelatedSpec;
}

interface Target {
  readonly model: RelatedModel;
  readonly name: string;
  /** If-Match of a request that contains only this write: the revision to be overwritten. */
  readonly ifMatch: string | undefined;
}

export type Write = Target &
  (
    | { readonly verb: 'create' | 'update'; readonly object: object }
    | { readonly verb: 'merge' | 'json'; readonly patch: object }
    | { readonly verb: 'delete' }
  );

/** The result of a request: written, with warnings, or refused for a known reason. */
export interface Outcome {
  readonly isWritten: boolean;
  readonly text: string;
}

/** A way to the store. Of several writes, a way makes one request. */
export interface Door {
  /** Number of requests that it makes while others make theirs. */
  readonly requests: number;
  /** True when a request may contain writes of several kinds; otherwise only of one kind. */
  readonly isMixed: boolean;
  send(writes: readonly Write[]): Promise<Outcome>;
}

/** @param known what is there, or was a moment ago */
export function randomWrite(
  random: Random,
  model: RelatedModel,
  known: ReadonlyMap<string, RelatedObject>,
): Write {
  const name = random.pick(REFERENCE_NAMES);
  const old = known.get(`${model.kind}/${name}`);
  const spec = randomSpec(random, model);
  const part = Object.fromEntries(Object.entries(spec).filter(() => random.chance(0.3)));
  const chance = { isHeld: 0.15, isFreed: 0.4, isLocked: 0.1, isMatched: 0.1, isWhole: 0.5, isBare: 0.4 };
  const { isHeld, isFreed, isLocked, isMatched, isWhole, isBare } = drawn(random, chance);
  const gone = random.pick(['f0', 'f1', 'a', 's']);
  const ifMatch = isMatched && old !== undefined ? `"${old.metadata.resourceVersion}"` : undefined;
  const target = { model, name, ifMatch };
  const metadata = {
    ...(isFreed && { finalizers: [] }),
    ...(isLocked && old !== undefined && { version: old.metadata.version }),
  };
  const type = { apiVersion: API_VERSION, kind: model.kind };
  const next = { ...type, spec: isWhole ? spec : { ...old?.spec, ...part } };
  const chosen = random.next();
  if (chosen < 0.4) {
    const finalizers = isHeld ? [HOLD] : [];
    const object = { ...next, metadata: { name, finalizers }, ...(isBare && { spec: randomRuled(random) }) };
    return { ...target, ifMatch: undefined, verb: 'create', object };
  }
  if (chosen < 0.55)
    return { ...target, verb: 'update', object: { ...next, metadata: { ...metadata, name } } };
  if (chosen < 0.75)
    return { ...target, verb: 'merge', patch: { metadata, spec: { [gone]: null, ...part } } };
  if (chosen < 0.88) return { ...target, verb: 'json', patch: operations(isWhole ? { spec } : part) };
  return { ...target, verb: 'delete' };
}

function drawn<T extends string>(random: Random, chances: Readonly<Record<T, number>>): Record<T, boolean> {
  const pairs = Object.entries<number>(chances).map(([name, chance]) => [name, random.chance(chance)]);
  return Object.fromEntries(pairs) as Record<T, boolean>;
}

function operations(values: object): readonly object[] {
  return Object.entries(values).map(([key, value]: [string, unknown]) => ({
    op: 'add',
    path: key === 'spec' ? '/spec' : `/spec/${key}`,
    value,
  }));
}

const pathOf = ({ plural }: RelatedModel): string => `/apis/${API_VERSION}/${plural}`;

export function httpDoor(daemon: DaemonProcess): Door {
  return {
    requests: 10,
    isMixed: true,
    async send(writes) {
      const [first, ...more] = writes;
      const answer = await (first !== undefined && more.length === 0
        ? sendOne(daemon, first)
        : daemon.send('POST', BATCHES, { body: { items: writes.map(itemOf) } }));
      const text = `${answer.text} ${answer.headers.warning ?? ''}`;
      if (answer.status >= 300) expect([404, 409, 412, 422], text).toContain(answer.status);
      return { isWritten: answer.status < 300, text };
    },
  };
}

function sendOne(daemon: DaemonProcess, write: Write): Promise<HttpAnswer> {
  const { model, name, ifMatch } = write;
  const match = ifMatch === undefined ? {} : { 'if-match': ifMatch };
  const place = `${pathOf(model)}/${name}`;
  if ('patch' in write) {
    const headers = { ...match, 'content-type': PATCH_TYPES[write.verb] };
    return daemon.send('PATCH', place, { headers, body: write.patch });
  }
  if (write.verb === 'delete') return daemon.send('DELETE', place, { headers: match });
  const { verb, object: body } = write;
  return verb === 'create'
    ? daemon.send('POST', pathOf(model), { body })
    : daemon.send('PUT', place, { headers: match, body });
}

function itemOf(write: Write): object {
  const { verb, model, name } = write;
  if ('object' in write) return { verb, object: write.object };
  const named = { apiVersion: API_VERSION, kind: model.kind, name };
  if (!('patch' in write)) return { verb, ...named };
  return { verb: 'patch', ...named, patch: write.patch, contentType: PATCH_TYPES[write.verb] };
}

/** Codes of exit: done, not found, conflict, invalid. */
const KNOWN_EXITS = [0, 3, 4, 5];

/** @param flags say whether it works on the store or on a server */
export function cliDoor(flags: readonly string[], cwd: string): Door {
  return {
    requests: 1,
    isMixed: false,
    async send(writes) {
      const { argv, stdin } = commandOf(writes);
      const { code, out, err } = await runCli([...argv, ...flags], { cwd, stdin });
      const text = `${argv.join(' ')}\n${out}${err}`;
      expect(KNOWN_EXITS, text).toContain(code);
      return { isWritten: code === 0, text };
    },
  };
}

function commandOf(writes: readonly Write[]): { readonly argv: readonly string[]; readonly stdin: string } {
  const [first] = writes;
  if (first !== undefined && 'patch' in first) {
    const argv = ['patch', resourceOf(first), first.name, '--type', first.verb];
    return { argv: [...argv, '-p', JSON.stringify(first.patch)], stdin: '' };
  }
  if (first?.verb === 'delete') return { argv: ['delete', resourceOf(first), first.name], stdin: '' };
  const lines = writes.flatMap((write) => ('object' in write ? [`${JSON.stringify(write.object)}\n`] : []));
  // All three read the same text, and go to the service in ways of their own.
  const verb = lines.length === 1 && first?.verb === 'create' ? 'create' : 'apply';
  const command = lines.length > 1 && first?.verb === 'update' ? 'import' : verb;
  return { argv: [command, '-f', '-'], stdin: lines.join('---\n') };
}

const resourceOf = ({ model }: Write): string => `${model.plural}.${REFERENCE_GROUP}`;
