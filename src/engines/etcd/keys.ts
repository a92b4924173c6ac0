import { createHash } from 'node:crypto';
import { afterPrefix } from '../../lib/bytes.js';
import type { LogPosition } from '../replicated/shared-log.js';
import type { Range } from './requests.js';

/** Version of the keys below. A store of another version is not changed. */
const LAYOUT = 1;
/** Hexadecimal digits of a number, so that keys have the order of numbers. */
const SEQ_DIGITS = 16;

/** The last record of the log, and the store that it belongs to. */
export interface Head extends LogPosition {
  readonly store: string;
}

/** The head as stored. Comparisons always include all of it. */
export function formatHead({ store, seq, id }: Head): string {
  return `${LAYOUT} ${store} ${seq} ${id}`;
}

/** @returns only the layout when it is a different one */
export function parseHead(text: string): Head | { readonly layout: string } {
  const [layout = '', store = '', seq = '', id = ''] = text.split(' ');
  return layout === String(LAYOUT) ? { store, seq: Number(seq), id } : { layout };
}

export function formatPlace({ seq, id }: LogPosition): string {
  return `${seq} ${id}`;
}

export function parsePlace(text: string): LogPosition {
  const [seq = '', id = ''] = text.split(' ');
  return { seq: Number(seq), id };
}

/** The key of the head, which names the current store. */
export function headKey(prefix: string): Buffer {
  return Buffer.from(`${prefix}/head`);
}

/** The keys of all stores under a prefix: the current one, and remains of others. */
export function storesRange(prefix: string): Range {
  return getRange(Buffer.from(`${prefix}/store/`));
}

/**
 * The keys of one store. Stores have separate keys, so that a new head replaces a store.
 * `log/SEQ/ID` a record; `part/SEQ/ID/N` a part of a long one; `checkpoint`; `kv/KEY` a value of the checkpoint;
 * `big/HASH/N` a part of a long one; `fold` the process that advances the checkpoint; `turn/ID` a process that waits
 * to write alone.
 */
export class StoreKeys {
  readonly all: Range;
  readonly checkpoint: Buffer;
  readonly fold: Buffer;
  readonly turns: Range;
  readonly values: Required<Range>;
  readonly longValues: Range;
  readonly #base: string;

  constructor(prefix: string, storeId: string) {
    this.#base = `${prefix}/store/${storeId.slice(0, 8)}/`;
    this.all = getRange(this.#key(''));
    this.checkpoint = this.#key('checkpoint');
    this.fold = this.#key('fold');
    this.turns = getRange(this.#key('turn/'));
    this.values = getRange(this.#key('kv/'));
    this.longValues = getRange(this.#key('big/'));
  }

  record({ seq, id }: LogPosition): Buffer {
    return this.#key(`log/${digits(seq)}/${id}`);
  }

  /** Records with this number and later ones. */
  recordsFrom(seq: number): Range {
    return { start: this.#key(`log/${digits(seq)}/`), end: getRange(this.#key('log/')).end };
  }

  /** The keys of records before this number. */
  recordsBefore(seq: number): Range[] {
    return ['log/', 'part/'].map((family) => ({
      start: this.#key(family),
      end: this.#key(`${family}${digits(seq)}/`),
    }));
  }

  getPlace(recordKey: Buffer): LogPosition {
    const [seq = '', id = ''] = recordKey.subarray(this.#key('log/').length).toString().split('/');
    return { seq: Number.parseInt(seq, 16), id };
  }

  parts({ seq, id }: LogPosition): Range {
    return getRange(this.#key(`part/${digits(seq)}/${id}/`));
  }

  turn(id: string): Buffer {
    return this.#key(`turn/${id}`);
  }

  value(key: Uint8Array): Buffer {
    return Buffer.concat([this.values.start, key]);
  }

  getKey(valueKey: Buffer): Buffer {
    return valueKey.subarray(this.values.start.length);
  }

  longValue(key: Uint8Array): Range {
    return getRange(this.#key(`big/${createHash('sha256').update(key).digest('hex')}/`));
  }

  #key(name: string): Buffer {
    return Buffer.from(this.#base + name);
  }
}

/** The n-th key of a range, in order. */
export function getKeyAt({ start }: Range, n: number): Buffer {
  return Buffer.concat([start, Buffer.from(n.toString(16).padStart(8, '0'))]);
}

function getRange(prefix: Buffer): Required<Range> {
  return { start: prefix, end: afterPrefix(prefix) ?? Buffer.from([0]) };
}

function digits(seq: number): string {
  return seq.toString(16).padStart(SEQ_DIGITS, '0');
}
