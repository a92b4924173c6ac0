import { once } from 'node:events';
import { Agent, type ClientRequest, type RequestOptions, request as requestPlain } from 'node:http';
import { Agent as TlsAgent, request as requestTls } from 'node:https';
import type { SecureContext } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest, getMessage, unavailable } from '../../errors.js';
import { findSecret } from '../../lib/process/secrets.js';
import { AccessDenied, ConnectionLost, NotSent } from '../replicated/retry-policy.js';
import { type EtcdAddress, formatMember, isEncrypted } from './address.js';
import { certificateProblem, likelyCause, readCertificates } from './certificates.js';
import { answerTo, getConnection, textIn, TooLong } from './exchange.js';
import { denied, parseAnswer, Refused, StaleToken } from './failures.js';
import type { Range, RangeAnswer, Txn, TxnAnswer } from './requests.js';
import { Tokens } from './tokens.js';

/** Time without a byte after which a member counts as dead, in milliseconds. */
const ANSWER_MS = 3_000;
/** The same for the other members, for their first request: one that is alive answers soon. */
const NEXT_ANSWER_MS = 1_000;
/** Delay before all members are tried again, in milliseconds; a random part is added. */
const RETRY_MS = 100;

interface Question {
  readonly path: string;
  /** Undefined for a request that only reads. */
  readonly body?: object;
  readonly token?: string | undefined;
}

/** Sends requests to the JSON gateway of one member, and to the next one when the connection is lost. */
export class EtcdClient {
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  readonly #tokens: Tokens | undefined;
  #certificates: SecureContext | undefined;
  #current = 0;
  /** Lost connections since the last answer of a member. */
  #losses = 0;
  #endWatch: (() => void) | undefined;

  /** @throws ServiceError `BadRequest` when a file of the address cannot be used */
  constructor(private readonly address: EtcdAddress) {
    const { user } = address;
    if (user !== undefined) this.#tokens = new Tokens(() => this.#authenticate(user));
    if (isEncrypted(address)) this.#certificates = readCertificates(address);
    this.#agent = isEncrypted(address) ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
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
   * @throws ConnectionLost when it may be sent again; NotSent when it was not even sent; AccessDenied; Refused;
   * TooLong
   */
  async call<T>(path: string, body: object): Promise<T> {
    if (this.#losses >= this.address.members.length) await this.#pause();
    const token = await this.#token();
    try {
      return (await this.#ask({ path, body, token })) as T;
    } catch (error) {
      if (!(error instanceof StaleToken)) throw error;
      if (token !== undefined) this.#tokens?.drop(token);
    }
    // A token expires, and a restarted member knows no earlier ones. The request had no effect.
    try {
      return (await this.#ask({ path, body, token: await this.#token() })) as T;
    } catch (error) {
      throw error instanceof StaleToken ? new NotSent(error.message) : error;
    }
  }

  /** The metrics of a member, in the format of Prometheus. @throws as {@link call} */
  metrics(): Promise<string> {
    return this.#exchange({ path: '/metrics' }, (_status, text) => text);
  }

  /**
   * Calls the listener for each change of a key, usually with its value. Resolves or throws when the watch ends.
   */
  async watch(key: Buffer, onChange: (value?: string) => void): Promise<void> {
    const body = JSON.stringify({ create_request: { key: key.toString('base64') } });
    const request = this.#open({ path: '/v3/watch', body: {}, token: await this.#token() }, 0);
    this.#endWatch = () => request.destroy();
    request.end(body);
    const answer = await answerTo(request);
    answer.on('data', (part: Buffer) => onChange(findLastValue(part)));
    await once(answer, 'close');
  }

  close(): void {
    this.#closing.abort(unavailable('the store is closed'));
    this.#endWatch?.();
    this.#agent.destroy();
  }

  #open({ path, body, token }: Question, timeout: number): ClientRequest {
    this.#closing.signal.throwIfAborted();
    const { host, port } = this.#member();
    const options: RequestOptions & { secureContext?: SecureContext } = {
      host,
      port,
      path,
      method: body === undefined ? 'GET' : 'POST',
      agent: this.#agent,
      timeout,
      headers: token === undefined ? {} : { authorization: token },
      ...(this.#certificates && { secureContext: this.#certificates }),
    };
    return isEncrypted(this.address) ? requestTls(options) : requestPlain(options);
  }

  #member(): EtcdAddress['members'][number] {
    const member = this.address.members[this.#current % this.address.members.length];
    if (member === undefined) throw new Error('a store in etcd has no members');
    return member;
  }

  #ask(question: Question): Promise<unknown> {
    return this.#exchange(question, parseAnswer);
  }

  async #exchange<T>(question: Question, parse: (status: number, text: string) => T): Promise<T> {
    const asked = this.#current;
    const place = formatMember(this.#member());
    const isNext = this.#losses > 0 && this.#losses < this.address.members.length;
    const answerMs = isNext ? NEXT_ANSWER_MS : ANSWER_MS;
    const request = this.#open(question, answerMs);
    request.once('timeout', () => request.destroy(new Error(`no answer within ${answerMs / 1000} s`)));
    const connection = getConnection(request, isEncrypted(this.address));
    try {
      const bytes = question.body && Buffer.from(JSON.stringify(question.body));
      if (bytes !== undefined) request.setHeader('content-length', bytes.length);
      request.end(bytes);
      const answer = await answerTo(request);
      const parsed = parse(answer.statusCode ?? 0, await textIn(answer));
      this.#losses = 0;
      return parsed;
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      if (isAnswered(error)) throw error;
      this.#lose(asked);
      this.#readCertificates();
      const problem = certificateProblem(error, this.address);
      if (problem !== undefined) throw this.#distrusted(`${place}: ${problem}`, error);
      const cause = likelyCause(error, this.address, connection.isMade);
      const message = [`${place}: ${getMessage(error)}`, cause]
        .filter((part) => part !== undefined)
        .join('; ');
      throw connection.isMade
        ? new ConnectionLost(message, { cause: error })
        : new NotSent(message, { cause: error });
    }
  }

  /** Switches to the next member, unless that has happened since. */
  #lose(asked: number): void {
    this.#losses += 1;
    if (this.#current !== asked) return;
    this.#current = (asked + 1) % this.address.members.length;
    // The watch is on the lost member, which may never send anything again.
    this.#endWatch?.();
  }

  /** Certificates are renewed from time to time. */
  #readCertificates(): void {
    if (!isEncrypted(this.address)) return;
    try {
      this.#certificates = readCertificates(this.address);
    } catch {
      // The files may be incomplete while another process writes them.
    }
  }

  /** No request is sent on such a connection. Another member may work. */
  #distrusted(message: string, cause: unknown): Error {
    const isLast = this.#losses >= this.address.members.length;
    return isLast
      ? new AccessDenied(`cannot reach etcd: ${message}`, { cause })
      : new NotSent(message, { cause });
  }

  async #token(): Promise<string | undefined> {
    try {
      return await this.#tokens?.get();
    } catch (error) {
      // The request that needs the token was not sent.
      throw error instanceof ConnectionLost && !(error instanceof NotSent)
        ? new NotSent(error.message, { cause: error })
        : error;
    }
  }

  async #authenticate(name: string): Promise<string> {
    const password = findSecret('ETCD_PASSWORD');
    if (password === undefined)
      throw badRequest(`ETCD_PASSWORD is not set; it must contain the password of the etcd user ${name}`);
    try {
      const body = { name, password };
      const { token } = (await this.#ask({ path: '/v3/auth/authenticate', body })) as { token: string };
      return token;
    } catch (error) {
      throw error instanceof Refused
        ? denied(`${error.message}; check user=${name} and ETCD_PASSWORD`)
        : error;
    }
  }

  async #pause(): Promise<void> {
    const { signal } = this.#closing;
    await sleep(RETRY_MS + Math.random() * RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The value of the last event in a part of a watch; undefined when the part ends inside of it. */
function findLastValue(part: Buffer): string | undefined {
  const value = /.*"value":"([^"]*)"/s.exec(part.toString())?.[1];
  return value && Buffer.from(value, 'base64').toString();
}

/** True when the member works, even if it refused the request. */
function isAnswered(error: unknown): boolean {
  return [Refused, AccessDenied, StaleToken, TooLong].some((kind) => error instanceof kind);
}
