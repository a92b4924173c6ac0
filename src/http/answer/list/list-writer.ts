import { formatYaml } from '../../../lib/json/yaml.js';
import { listHead, type RawList } from '../../../service/read/list.js';
import type { MaybePromise } from '../../../lib/work/maybe-promise.js';
import { withIncluded } from '../../../service/expand/included.js';
import type { Items } from '../conversion.js';
import { ConvertedMemory, type Converter } from '../converter.js';
import type { Format } from '../media.js';
import type { MetadataShape } from '../../routes/metadata-shape.js';
import type { TableShape } from '../../routes/table.js';

/** The output form of a list. */
export interface ListForm {
  readonly format: Format;
  /** The members before the objects. */
  readonly head: object;
  /** The member with the objects. */
  readonly member: string;
  /** Present: the objects are sent as rows. */
  readonly table?: TableShape | undefined;
  /** Present: the last member, as JSON. */
  readonly included?: Buffer | undefined;
}

/** The output form of a list, as objects or as rows. */
export function listForm(list: RawList, format: Format, table: TableShape | undefined): ListForm {
  const { included } = list;
  if (table === undefined) return { format, head: listHead(list), member: 'items', included };
  // A table has the same page members as a list.
  const head = { ...listHead(list), ...table.head(list.metadata) };
  return { format, head, member: 'rows', table };
}

/** The output form of a list with only the metadata of the objects. */
export function metadataForm(list: RawList, metadata: MetadataShape): ListForm {
  return { format: 'json', head: metadata.head(listHead(list)), member: 'items' };
}

/** Initial memory for objects, in bytes: enough for most lists. */
const MEMORY_BYTES = 16 * 1024;
const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const END = Buffer.from(']}');
const NOTHING = Buffer.alloc(0);
const NO_MEMBERS = Buffer.from('{}');

/** A list of objects as JSON, in one piece. */
export function wholeJson(list: RawList, objects: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [beginJson(listHead(list), 'items')];
  let lead = OPEN;
  for (const object of objects) {
    parts.push(lead, object);
    lead = COMMA;
  }
  if (objects.length === 0) parts.push(OPEN);
  parts.push(endJson(list));
  return Buffer.concat(parts);
}

/** The text up to the array of the member. */
function beginJson(head: object, member: string): Buffer {
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"${member}":`);
}

/** The text from the end of the array. */
function endJson({ included }: Pick<ListForm, 'included'>): Buffer {
  return included === undefined ? END : withIncluded(END, included);
}

interface Gathered extends Items {
  readonly bytes: Buffer;
}

/**
 * Collects objects in memory that is reused, so that a long list leaves little garbage. The first object follows the
 * start of an array, the others follow commas.
 */
export class ItemBuffer {
  // Shared memory need not be copied for another thread.
  #memory = Buffer.from(new SharedArrayBuffer(MEMORY_BYTES));
  #used = 0;
  #ends: number[] = [];
  #lead = OPEN;

  /** In bytes. */
  get length(): number {
    return this.#used;
  }

  push(...json: readonly Uint8Array[]): void {
    this.#add(this.#lead);
    for (const part of json) this.#add(part);
    this.#lead = COMMA;
    this.#ends.push(this.#used);
  }

  /** Returns the items since the last call. They are valid until the next `push`. */
  take(): Gathered {
    const ends = this.#ends;
    const bytes = this.#memory.subarray(0, this.#used);
    this.#used = 0;
    this.#ends = [];
    return { bytes, ends };
  }

  #add(bytes: Uint8Array): void {
    const end = this.#used + bytes.length;
    if (end > this.#memory.length) {
      const larger = Buffer.from(new SharedArrayBuffer(Math.max(end, this.#memory.length * 2)));
      larger.set(this.#memory.subarray(0, this.#used));
      this.#memory = larger;
    }
    this.#memory.set(bytes, this.#used);
    this.#used = end;
  }
}

/** Writes a list, or another object with a long member, part by part. */
export class ListWriter {
  readonly #memory = new ConvertedMemory();
  #isFirst = true;

  constructor(
    private readonly form: ListForm,
    private readonly converter: Converter,
  ) {}

  /**
   * The text of the next objects, which must not be empty. It is valid until the next call, and only while the
   * objects are.
   */
  async next(items: Gathered): Promise<Buffer> {
    const text = await this.#getText(items);
    if (!this.#isFirst) return text;
    this.#isFirst = false;
    return Buffer.concat([this.#begin(), text]);
  }

  /** Like {@link next}, for the remaining objects, if any, and the end of the list. */
  async last(items: Gathered): Promise<Buffer> {
    const end = await this.#end();
    if (items.ends.length > 0) return Buffer.concat([await this.next(items), end]);
    return this.#isFirst ? Buffer.concat([this.#empty(), end]) : end;
  }

  async #getText(items: Gathered): Promise<Buffer> {
    const { format, table } = this.form;
    if (format === 'json' && table === undefined) return items.bytes;
    const rows = table && { form: table.form, nowMs: table.nowMs };
    return this.converter.convert({ items, format, table: rows }, this.#memory);
  }

  #begin(): Buffer {
    const { format, head, member } = this.form;
    if (format === 'yaml') return Buffer.from(`${formatYaml(head)}${member}:\n`);
    return beginJson(head, member);
  }

  #end(): MaybePromise<Buffer> {
    const { format, included } = this.form;
    if (format === 'json') return endJson(this.form);
    return included === undefined ? NOTHING : this.converter.yaml(withIncluded(NO_MEMBERS, included));
  }

  /** A list without objects, up to its end. */
  #empty(): Buffer {
    const { format, head, member } = this.form;
    if (format === 'yaml') return Buffer.from(formatYaml({ ...head, [member]: [] }));
    return Buffer.concat([beginJson(head, member), OPEN]);
  }
}
