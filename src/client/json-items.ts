/** The part of the answer that the splitter is in. */
type Place = 'head' | 'items' | 'end';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Extracts the texts of the objects in a streamed list answer, the member `items` of one JSON object. It keeps at
 * most one of them in memory. It does not validate the JSON: the caller parses the extracted texts.
 */
export class JsonItemSplitter {
  #place: Place = 'head';
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The incomplete token: an item, or a key of the head. */
  #pending = '';
  #lastKey = '';

  /** True after the end of the list; before it, the answer is incomplete. */
  get isComplete(): boolean {
    return this.#place === 'end';
  }

  /** The items that end in this part of the answer, in order. */
  push(text: string): string[] {
    const items: string[] = [];
    let start = 0;
    for (let at = 0; at < text.length && this.#place !== 'end'; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#inString) {
        if (this.#endsString(code)) start = this.#leaveString(text, start, at);
        continue;
      }
      if (code === QUOTE) {
        this.#inString = true;
        if (this.#place === 'head') start = at + 1;
        continue;
      }
      if (code === OPEN_OBJECT || code === OPEN_LIST) {
        this.#depth += 1;
        if (this.#place === 'head' && code === OPEN_LIST && this.#depth === 2 && this.#lastKey === 'items') {
          this.#place = 'items';
          this.#pending = '';
          start = at + 1;
        }
        continue;
      }
      if (code !== CLOSE_OBJECT && code !== CLOSE_LIST && code !== COMMA) continue;
      if (code !== COMMA) this.#depth -= 1;
      if (this.#place !== 'items' || this.#depth > 2) continue;
      if (code === CLOSE_OBJECT) {
        items.push(this.#pending + text.slice(start, at + 1));
        this.#pending = '';
        start = at + 1;
      } else {
        // Between two items, or at the end of the list.
        start = at + 1;
        if (code === CLOSE_LIST) this.#place = 'end';
      }
    }
    if (this.#place === 'items' || (this.#place === 'head' && this.#inString))
      this.#pending += text.slice(start);
    return items;
  }

  #endsString(code: number): boolean {
    if (this.#escaped) this.#escaped = false;
    else if (code === BACKSLASH) this.#escaped = true;
    else return code === QUOTE;
    return false;
  }

  /** Returns the new start of the pending text. */
  #leaveString(text: string, start: number, at: number): number {
    this.#inString = false;
    if (this.#place !== 'head') return start;
    // A value overwrites the key before it; only a key can precede a list.
    if (this.#depth === 1) this.#lastKey = this.#pending + text.slice(start, at);
    this.#pending = '';
    return at + 1;
  }
}
