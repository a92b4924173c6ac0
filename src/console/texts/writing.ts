import type { Language } from './languages.js';

const CATEGORIES: readonly Intl.LDMLPluralRule[] = ['zero', 'one', 'two', 'few', 'many', 'other'];

/** The units of durations; the largest one with a value of at least one is used. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** The formats of numbers and times in a language. */
export class Writing {
  readonly #numbers: Intl.NumberFormat;
  readonly #plurals: Intl.PluralRules;
  readonly #categories: readonly Intl.LDMLPluralRule[];
  // Creating each takes long, and few pages need it.
  #measured: Intl.NumberFormat | undefined;
  #distances: Intl.RelativeTimeFormat | undefined;
  #clock: Intl.DateTimeFormat | undefined;
  #days: Intl.DateTimeFormat | undefined;
  #dates: Intl.DateTimeFormat | undefined;
  #moments: Intl.DateTimeFormat | undefined;

  constructor(readonly language: Language) {
    this.#numbers = new Intl.NumberFormat(language);
    this.#plurals = new Intl.PluralRules(language);
    const { pluralCategories } = this.#plurals.resolvedOptions();
    this.#categories = CATEGORIES.filter((one) => pluralCategories.includes(one));
  }

  readonly number = (value: number): string => this.#numbers.format(value);

  /** The form of a word for a number. @param forms in the order of the language's plural categories */
  readonly plural = (count: number, forms: readonly string[]): string =>
    forms[this.#categories.indexOf(this.#plurals.select(count))] ?? forms.at(-1) ?? '';

  /** With a fixed number of decimals. */
  readonly fixed = (value: number, digits: number): string =>
    value.toLocaleString(this.language, { minimumFractionDigits: digits, maximumFractionDigits: digits });

  /** With a fixed number of decimals, without separators of thousands. */
  readonly plain = (value: number, digits: number): string =>
    value.toLocaleString(this.language, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      useGrouping: false,
    });

  /** In the largest unit: `3m`. */
  readonly duration = (seconds: number): string => {
    const [unit, size] = largestUnit(seconds);
    // English uses single letters; the narrow forms of other languages are not well known.
    const unitDisplay = this.language === 'en' ? 'narrow' : 'short';
    const format = { style: 'unit', unit, unitDisplay } as const;
    return Math.floor(seconds / size).toLocaleString(this.language, format);
  };

  /** The age of something: `3m` in English, like other tools; a whole phrase in other languages. */
  readonly ago = (seconds: number): string =>
    this.language === 'en' ? this.duration(seconds) : this.distance(-seconds);

  /** Relative to now; positive values are in the future: `in 3 min.` */
  readonly distance = (seconds: number): string => {
    this.#distances ??= new Intl.RelativeTimeFormat(this.language, { style: 'short' });
    const [unit, size] = largestUnit(Math.abs(seconds));
    return this.#distances.format(Math.trunc(seconds / size), unit);
  };

  /** With three significant digits. */
  readonly measured = (value: number): string => {
    this.#measured ??= new Intl.NumberFormat(this.language, { maximumSignificantDigits: 3 });
    return Math.abs(value) >= 100 ? this.number(Math.round(value)) : this.#measured.format(value);
  };

  /** A measured duration, in seconds or milliseconds. */
  readonly seconds = (seconds: number): string => {
    const [value, unit] = seconds >= 1 ? [seconds, 'second'] : [seconds * 1_000, 'millisecond'];
    const format = { style: 'unit', unit, unitDisplay: 'short', maximumSignificantDigits: 3 } as const;
    return value.toLocaleString(this.language, format);
  };

  /** The time of day in the reader's time zone. */
  readonly clock = (timeMs: number): string => {
    this.#clock ??= new Intl.DateTimeFormat(this.language, { timeStyle: 'medium', hourCycle: 'h23' });
    return this.#clock.format(timeMs);
  };

  /** The day: `26 Jun 2026`. @param isDate true for a date without a time */
  readonly day = (timeMs: number, isDate: boolean): string => {
    // The order of the parts is that of most readers of English.
    const language = this.language === 'en' ? 'en-GB' : this.language;
    const parts = { day: 'numeric', month: 'short', year: 'numeric' } as const;
    this.#days ??= new Intl.DateTimeFormat(language, parts);
    this.#dates ??= new Intl.DateTimeFormat(language, { ...parts, timeZone: 'UTC' });
    return (isDate ? this.#dates : this.#days).format(timeMs);
  };

  /** Day and time in the reader's time zone. */
  readonly moment = (timeMs: number): string => {
    this.#moments ??= new Intl.DateTimeFormat(this.language, { dateStyle: 'medium', timeStyle: 'long' });
    return this.#moments.format(timeMs);
  };
}

function largestUnit(
  seconds: number,
): readonly [unit: 'day' | 'hour' | 'minute' | 'second', seconds: number] {
  return UNITS.find(([, size]) => seconds >= size) ?? ['second', 1];
}
