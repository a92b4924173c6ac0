import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, type RequestOptions, request as requestPlain } from 'node:http';
import { Agent as TlsAgent, request as requestTls } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest, messageOf, unavailable } from '../../errors.js';
import { Lost } from '../replicated/reach.js';
import { type EtcdAddress, formatMember, isEncrypted } from './address.js';
import { parseAnswer, Refused, StaleToken } from './failures.js';
import type { Range, RangeAnswer, Txn, TxnAnswer } from './requests.js';

/** Time without a byte after which a member is taken for dead, in milliseconds. */
const ANSWER_MS = 3_000;
/** Before the members are tried once more; a random part is added. */
const RETRY_MS = 100;
/** A longer answer is not taken: whoever asks then asks for less. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** Sends requests to the JSON gateway of one member, and to the next one when it is lost. */
export class EtcdClient {
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  #current = 0;
  /** Since a member answered the last time. */
  #losses = 0;
  #token: Promise<string> | undefined;
  #endWatch: (() => void) | undefined;

  /** @throws ServiceError `BadRequest` when a file of the address cannot be read */
  constructor(private readonly address: EtcdAddress) {
    const options = { keepAlive: true };
    this.#agent = isEncrypted(address)
      ? new TlsAgent({ ...options, ...certificatesOf(address) })
      : new Agent(options);
  }

  txn(txn: Txn): Promise<TxnAnswer> {
    return this.call<TxnAnswer>('/v3/kv/txn', txn);
  }

  range({ start, end }: Range, options: object = {}): Promise<RangeAnswer> {
    const key = start.toString('base64');
    return this.call<RangeAnswer>('/v3/kv/range', {
      key,
      ...(end && { range_end: end.toString('base64') }),
      ...options,
    });
  }

  /**
   * Sends one request.
   * @throws Lost when it may be sent again; Unsent when it was not even sent; Refused; TooLong
   */
  async call<T>(path: string, body: object): Promise<T> {
    if (this.#losses >= this.address.members.length) await this.#pause();
    try {
      return (await this.#ask(path, body, await this.#authorization())) as T;
    } catch (error) {
      if (!(error instanceof StaleToken)) throw error;
      this.#token = undefined;
      throw new Unsent(error.message);
    }
  }

  /** Calls the listener for each change of a key. Resolves or throws when it no longer does. */
  async watch(key: Buffer, told: () => void): Promise<void> {
    const headers = await this.#authorization();
    const body = JSON.stringify({ create_request: { key: key.toString('base64') } });
    const request = this.#open('/v3/watch', headers, 0);
    this.#endWatch = () => request.destroy();
    request.end(body);
    const answer = await answerTo(request);
    answer.on('data', told);
    await once(answer, 'close');
  }

  close(): void {
    this.#closing.abort(unavailable('the store is closed'));
    this.#endWatch?.();
    this.#agent.destroy();
  }

  #open(path: string, headers: Headers, timeout: number): ReturnType<typeof requestPlain> {
    this.#closing.signal.throwIfAborted();
    const { host, port } = this.#member();
    const options: RequestOptions = {
      host,
      port,
      path,
      method: 'POST',
      agent: this.#agent,
      timeout,
      headers,
    };
    return isEncrypted(this.address) ? requestTls(options) : requestPlain(options);
  }

  #member(): EtcdAddress['members'][number] {
    const member = this.address.members[this.#current % this.address.members.length];
    if (member === undefined) throw new Error('a store in etcd has no members');
    return member;
  }

  async #ask(path: string, body: object, headers: Headers): Promise<unknown> {
    const asked = this.#current;
    const place = formatMember(this.#member());
    const bytes = Buffer.from(JSON.stringify(body));
    const request = this.#open(path, { ...headers, 'content-length': bytes.length }, ANSWER_MS);
    request.once('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)));
    const connection = connectionOf(request, isEncrypted(this.address));
    try {
      request.end(bytes);
      const answer = await answerTo(request);
      const parsed = parseAnswer(answer.statusCode ?? 0, await textIn(answer));
      this.#losses = 0;
      return parsed;
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      if (error instanceof Refused || error instanceof StaleToken || error instanceof TooLong) throw error;
      this.#lose(asked);
      const message = `${place}: ${messageOf(error)}`;
      throw connection.isMade ? new Lost(message, { cause: error }) : new Unsent(message, { cause: error });
    }
  }

  /** Turns to the next member, unless that was done since. */
  #lose(asked: number): void {
    this.#losses += 1;
    if (this.#current !== asked) return;
    this.#current = (asked + 1) % this.address.members.length;
    // It is with the member that was lost, which may say nothing for ever.
    this.#endWatch?.();
  }

  async #authorization(): Promise<Headers> {
    const { user } = this.address;
    if (user === undefined) return {};
    this.#token ??= this.#authenticate(user);
    const token = this.#token;
    try {
      return { authorization: await token };
    } catch (error) {
      if (this.#token === token) this.#token = undefined;
      // The request that needs the token was not sent.
      throw error instanceof Lost ? new Unsent(error.message, { cause: error }) : error;
    }
  }

  async #authenticate(name: string): Promise<string> {
    const password = process.env['ETCD_PASSWORD'];
    if (password === undefined)
      throw badRequest(`the password of the user ${name} of etcd is not in ETCD_PASSWORD`);
    const answer = (await this.#ask('/v3/auth/authenticate', { name, password }, {})) as { token: string };
    return answer.token;
  }

  async #pause(): Promise<void> {
    const { signal } = this.#closing;
    await sleep(RETRY_MS + Math.random() * RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}

type Headers = Record<string, string | number>;

/** No member took the connection, so nothing was done. */
export class Unsent extends Lost {}

/** There is more than is taken at once. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

function certificatesOf({ caFile, client }: EtcdAddress): { ca?: string; cert?: string; key?: string } {
  return {
    ...(caFile !== undefined && { ca: read(caFile) }),
    ...(client && { cert: read(client.certFile), key: read(client.keyFile) }),
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw badRequest(`cannot read a certificate for etcd: ${messageOf(error)}`);
  }
}

/** Whether there is a connection, so that the request may have gone out. */
function connectionOf(
  request: ReturnType<typeof requestPlain>,
  isTls: boolean,
): { readonly isMade: boolean } {
  const connection = { isMade: false };
  request.once('socket', (socket) => {
    if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', () => (connection.isMade = true));
    else connection.isMade = true;
  });
  return connection;
}

function answerTo(request: ReturnType<typeof requestPlain>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection was closed')));
  });
}

async function textIn(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    if (length <= ANSWER_BYTES_MAX) continue;
    answer.destroy();
    throw new TooLong();
  }
  return Buffer.concat(parts).toString();
}
