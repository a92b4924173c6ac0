import { cloneJson } from '../../lib/json/json.js';
import { addBytes } from '../../lib/work/allowance.js';
import type { Json } from '../object.js';

/** Approximate bytes of a field's name with its punctuation. */
const NAME_BYTES = 8;

/** The default of a field or item. */
export class Fallback {
  #bytes: number | undefined;

  constructor(private readonly value: Json) {}

  /** A copy for an object. Its bytes are counted before it is made. @throws TooExpensive */
  copy(): Json {
    addBytes((this.#bytes ??= NAME_BYTES + Buffer.byteLength(JSON.stringify(this.value))));
    return cloneJson(this.value);
  }
}
