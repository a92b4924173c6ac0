import type { Outcome } from './history.js';
import type { World } from './world.js';

/** Longer than a daemon waits for its store (30 s). */
const ANSWER_MS = 40_000;

export interface Question {
  readonly port: number;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly began: number;
  readonly ended: number;
  /** 0 when there was no answer. */
  readonly status: number;
  /** The status code, or why there is none. */
  readonly answer: string;
  readonly outcome: Outcome;
  /** Undefined when there was no answer, or when it is an error. */
  readonly body: unknown;
}

/** Sends a request to a daemon that may be killed meanwhile. */
export async function ask(world: World, question: Question): Promise<Answer> {
  const began = performance.now();
  try {
    const { status, text } = await send(question);
    const ended = performance.now();
    if (status >= 500 && status !== 503 && status !== 504)
      world.history.fault(`${question.method ?? 'GET'} ${question.path} was answered ${status}: ${text}`);
    const body: unknown = status < 300 ? JSON.parse(text) : undefined;
    const outcome = status < 300 ? 'done' : status === 503 || status < 500 ? 'refused' : 'unsure';
    return { began, ended, status, answer: String(status), outcome, body };
  } catch (error) {
    const code = codeOf(error);
    // Nobody listened: the request was never sent.
    const outcome = code === 'ECONNREFUSED' ? 'refused' : 'unsure';
    return { began, ended: performance.now(), status: 0, answer: code, outcome, body: undefined };
  }
}

async function send({ port, method = 'GET', path, body, headers, timeoutMs = ANSWER_MS }: Question) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'Content-Type': type, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, text: await response.text() };
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
