/** Messages of etcd's JSON gateway: bytes are base64, and integers of 64 bits are text. */

export interface Pair {
  readonly key: string;
  /** Missing when it is empty or was not requested. */
  readonly value?: string;
}

/** Empty and false members are omitted. */
export interface RangeAnswer {
  readonly kvs?: readonly Pair[];
  readonly count?: string;
  readonly more?: boolean;
}

export interface TxnAnswer {
  readonly header: { readonly revision: string };
  readonly succeeded?: boolean;
  readonly responses?: readonly { readonly response_range?: RangeAnswer }[];
}

export interface StatusAnswer {
  readonly dbSize?: string;
  /** Only from etcd 3.6 and later. */
  readonly dbSizeQuota?: string;
}

export interface Txn {
  readonly compare?: readonly object[];
  readonly success: readonly object[];
  readonly failure?: readonly object[];
}

/** Keys from a start (inclusive) to an end (exclusive); one key without an end. */
export interface Range {
  readonly start: Buffer;
  readonly end?: Buffer;
}

export function put(key: Buffer, value: Uint8Array | string): object {
  return { request_put: { key: base64(key), value: base64(Buffer.from(value)) } };
}

export function range(wanted: Range, options: object = {}): object {
  return { request_range: { ...getRange(wanted), ...options } };
}

export function remove(wanted: Range): object {
  return { request_delete_range: getRange(wanted) };
}

/** A condition: the key has exactly this value. */
export function holds(key: Buffer, value: string): object {
  return { target: 'VALUE', result: 'EQUAL', key: base64(key), value: base64(Buffer.from(value)) };
}

export function isMissing(key: Buffer): object {
  return { target: 'CREATE', result: 'EQUAL', key: base64(key), create_revision: '0' };
}

/** The result of the n-th operation of a transaction, a read. */
export function readBy(answer: TxnAnswer, n: number): RangeAnswer {
  return answer.responses?.[n]?.response_range ?? {};
}

export function getKey(pair: Pair): Buffer {
  return Buffer.from(pair.key, 'base64');
}

export function getValue(pair: Pair): Buffer {
  return Buffer.from(pair.value ?? '', 'base64');
}

/** The value of the single requested key; undefined when it does not exist. */
export function findText(answer: RangeAnswer): string | undefined {
  const [pair] = answer.kvs ?? [];
  return pair && getValue(pair).toString();
}

function getRange({ start, end }: Range): object {
  return { key: base64(start), ...(end && { range_end: base64(end) }) };
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64');
}
