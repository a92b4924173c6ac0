/** The reason why a text is not JSON, and the place. */
export interface JsonFault {
  /** Offset in UTF-16 units; the text's length when it ends too early. */
  readonly offset: number;
  readonly reason: string;
}

export interface InexactInteger {
  readonly path: string;
  readonly digits: string;
}

interface Level {
  readonly isObject: boolean;
  readonly path: string;
  readonly keys: Set<string>;
  key: string;
  items: number;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * The first place where a text is not valid JSON; undefined when all of it is valid. Meant for texts that a parser
 * has refused: the parser is faster, this function knows the place and what was expected. Does not recurse.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  return new JsonScan(text).run().fault;
}

/** The path of the first key that its object already has; undefined when no key repeats or the text is malformed. */
export function findDuplicateKey(text: string): string | undefined {
  return new JsonScan(text).run().duplicate;
}

/** The first integer that would be another one as a number, with its path. */
export function findInexactInteger(text: string): InexactInteger | undefined {
  return new JsonScan(text).run().inexact;
}

/** True for an integer that is written with the same value after it was read as a number. */
export function isExactInteger(digits: string): boolean {
  const value = Number(digits);
  return Number.isSafeInteger(value) || significantDigits(String(value)) === significantDigits(digits);
}

/** Without the sign, the point, the exponent and zeros at the end. */
function significantDigits(number: string): string {
  return number.replace(/e.*/, '').replaceAll(/[-+.]|0+$/g, '');
}

/** The 1-based line and column of an offset. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}

class JsonScan {
  fault: JsonFault | undefined;
  duplicate: string | undefined;
  inexact: InexactInteger | undefined;
  #at = 0;
  readonly #levels: Level[] = [];

  constructor(private readonly text: string) {}

  run(): this {
    let goesOn = this.#value();
    while (goesOn) {
      const level = this.#levels.at(-1);
      goesOn = level === undefined ? this.#end() : level.isObject ? this.#member(level) : this.#item(level);
    }
    return this;
  }

  /** Reads the token after a value or an opening brace of an object: a member or the closing brace. */
  #member(level: Level): boolean {
    this.#space();
    if (this.#take('}')) return this.#close();
    if (level.items > 0 && !this.#take(',')) return this.#fail('expected "," or "}"');
    this.#space();
    const start = this.#at;
    if (this.text[start] !== '"') {
      return this.#fail(
        level.items > 0 ? 'expected a key in double quotes' : 'expected a key in double quotes or "}"',
      );
    }
    if (!this.#string()) return false;
    const key = String(JSON.parse(this.text.slice(start, this.#at)));
    const path = level.path === '' ? key : `${level.path}.${key}`;
    if (level.keys.has(key)) this.duplicate ??= path;
    level.keys.add(key);
    level.key = key;
    level.items += 1;
    this.#space();
    return this.#take(':') ? this.#value() : this.#fail('expected ":"');
  }

  #item(level: Level): boolean {
    this.#space();
    if (this.#take(']')) return this.#close();
    if (level.items > 0 && !this.#take(',')) return this.#fail('expected "," or "]"');
    level.items += 1;
    return this.#value();
  }

  #value(): boolean {
    this.#space();
    const char = this.text[this.#at];
    if (char === '{' || char === '[') return this.#open(char === '{');
    if (char === '"') return this.#string();
    return this.#number() || this.#match(WORD) || this.#fail('expected a value');
  }

  #number(): boolean {
    const start = this.#at;
    if (!this.#match(NUMBER)) return false;
    const digits = this.text.slice(start, this.#at);
    const isInexact = /^-?\d{16,}$/.test(digits) && !isExactInteger(digits);
    if (isInexact) this.inexact ??= { path: this.#path(), digits };
    return true;
  }

  #open(isObject: boolean): boolean {
    this.#at += 1;
    this.#levels.push({ isObject, path: this.#path(), keys: new Set(), key: '', items: 0 });
    return true;
  }

  #close(): boolean {
    this.#levels.pop();
    return true;
  }

  #end(): boolean {
    this.#space();
    return this.#at < this.text.length && this.#fail('expected the end');
  }

  #path(): string {
    const level = this.#levels.at(-1);
    if (level === undefined) return '';
    if (!level.isObject) return `${level.path}[${level.items - 1}]`;
    return level.path === '' ? level.key : `${level.path}.${level.key}`;
  }

  #string(): boolean {
    this.#at += 1;
    for (;;) {
      const code = this.text.charCodeAt(this.#at);
      if (Number.isNaN(code)) return this.#fail('unterminated string');
      if (code < 0x20) return this.#fail('a control character must be escaped');
      if (code === 0x5c && !this.#match(ESCAPE)) return this.#fail('unknown escape');
      if (code === 0x5c) continue;
      this.#at += 1;
      if (code === 0x22) return true;
    }
  }

  #space(): void {
    while (' \t\n\r'.includes(this.text[this.#at] ?? 'x')) this.#at += 1;
  }

  #take(char: string): boolean {
    if (this.text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #fail(reason: string): boolean {
    const found =
      this.#at < this.text.length ? `, found ${JSON.stringify(this.text[this.#at])}` : ', found the end';
    this.fault = { offset: this.#at, reason: reason.startsWith('expected') ? reason + found : reason };
    return false;
  }
}
