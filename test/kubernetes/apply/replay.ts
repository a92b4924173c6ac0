import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { DEFINITIONS } from '../../helpers/definitions.js';
import type { HttpAnswer } from '../../helpers/http.js';
import { startKubernetesServer, type KubernetesServer } from '../../helpers/kubernetes.js';
import { MemoryEngine, MemoryStore } from '../../../src/testing/memory-engine.js';
import { isRecord } from '../../../src/lib/json/json.js';
import { Names } from '../record/apply/names.mjs';

/** A request that a kube-apiserver was asked, and its answer. Names of servers are replaced. */
export interface AskedStep {
  /** Seconds since the start. */
  readonly at: number;
  readonly request: AskedRequest;
  readonly answer: Answer;
}

interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly body?: unknown;
}

/** A definition that was created or replaced. */
interface DefinitionStep {
  readonly definition: { readonly metadata: { readonly name: string } };
}

/** Requests about one object, one after another. */
export interface Sequence {
  readonly title: string;
  readonly steps: readonly (AskedStep | DefinitionStep)[];
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Recorded {
  /** The version of the kube-apiserver. */
  readonly server: string;
  readonly sequences: readonly Sequence[];
}

export function readRecorded(): Recorded {
  const text = gunzipSync(readFileSync(new URL('apiserver.json.gz', import.meta.url))).toString();
  return JSON.parse(text) as Recorded;
}

/** A step with the answer of this service. */
export interface Replayed {
  readonly step: AskedStep;
  readonly own: Answer;
}

const START_MS = Date.parse('2026-05-01T00:00:00Z');

/** Asks this service what a kube-apiserver was asked, at the same times. */
export class Replay {
  readonly #server: KubernetesServer;
  readonly #clock: { ms: number };

  private constructor(server: KubernetesServer, clock: { ms: number }) {
    this.#server = server;
    this.#clock = clock;
  }

  static async start(): Promise<Replay> {
    const clock = { ms: START_MS };
    return new Replay(
      await startKubernetesServer({
        leads: false,
        kinds: 'full',
        engine: new MemoryEngine(new MemoryStore()),
        now: () => clock.ms,
      }),
      clock,
    );
  }

  async run({ steps }: Sequence): Promise<readonly Replayed[]> {
    const names = new Names(START_MS);
    const answers: Replayed[] = [];
    for (const step of steps) {
      if ('definition' in step) await this.#define(step.definition);
      else answers.push({ step, own: await this.#ask(step, names) });
    }
    return answers;
  }

  logs() {
    return this.#server.logs;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #ask({ at, request }: AskedStep, names: Names): Promise<Answer> {
    this.#clock.ms = START_MS + at * 1_000;
    const {
      method,
      path,
      query = {},
      type = 'application/json',
      body,
    } = names.shown(request) as AskedRequest;
    const search = new URLSearchParams(query).toString();
    const headers = { 'content-type': type, 'user-agent': 'recorder/1.0 (x)' };
    const target = search === '' ? path : `${path}?${search}`;
    const answer = await this.#server.send(method, target, {
      headers,
      ...(body !== undefined && { body }),
    });
    return {
      status: answer.status,
      body: names.noted(bodyOf(answer), method === 'DELETE' || query.dryRun !== undefined),
    };
  }

  async #define(definition: DefinitionStep['definition']): Promise<void> {
    const target = `${DEFINITIONS}/${definition.metadata.name}`;
    const known = await this.#server.get(target);
    const sent =
      known.status === 404
        ? this.#server.send('POST', DEFINITIONS, { body: definition })
        : this.#server.send('PUT', target, { body: definition });
    const { status, text } = await sent;
    if (status > 201) throw new Error(text);
  }
}

function bodyOf({ text }: HttpAnswer): object {
  const body: unknown = text.startsWith('{') ? JSON.parse(text) : { text };
  return isRecord(body) ? body : {};
}
