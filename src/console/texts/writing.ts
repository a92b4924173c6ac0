import type { Language } from './languages.js';

/** What a noun is called by how many there are; `other` where the language makes no difference. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }>;

/** The largest unit that a duration is at least one of is the one that it is told in. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How a language writes numbers and times. */
export class Writing {
  readonly #numbers: Intl.NumberFormat;
  readonly #plurals: Intl.PluralRules;
  // Each takes a while to make, and few pages need it.
  #measured: Intl.NumberFormat | undefined;
  #distances: Intl.RelativeTimeFormat | undefined;
  #clock: Intl.DateTimeFormat | undefined;
  #moments: Intl.DateTimeFormat | undefined;

  constructor(readonly language: Language) {
    this.#numbers = new Intl.NumberFormat(language);
    this.#plurals = new Intl.PluralRules(language);
  }

  readonly number = (value: number): string => this.#numbers.format(value);

  /** The number with its noun: `3 lines`. */
  readonly counted = (count: number, forms: Forms): string =>
    `${this.number(count)} ${this.plural(count, forms)}`;

  readonly plural = (count: number, forms: Forms): string =>
    forms[this.#plurals.select(count)] ?? forms.other;

  /** With as many digits after the point. */
  readonly fixed = (value: number, digits: number): string =>
    value.toLocaleString(this.language, { minimumFractionDigits: digits, maximumFractionDigits: digits });

  /** In its largest unit: `3m`. */
  readonly duration = (seconds: number): string => {
    const [unit, size] = largestUnit(seconds);
    // A letter is enough in English; the narrow forms of other languages are hardly known.
    const unitDisplay = this.language === 'en' ? 'narrow' : 'short';
    const format = { style: 'unit', unit, unitDisplay } as const;
    return Math.floor(seconds / size).toLocaleString(this.language, format);
  };

  /** How long ago something was: `3m`, as other tools have it in English; elsewhere that would be no sentence. */
  readonly ago = (seconds: number): string =>
    this.language === 'en' ? this.duration(seconds) : this.distance(-seconds);

  /** From now on where it is positive: `in 3 min.` */
  readonly distance = (seconds: number): string => {
    this.#distances ??= new Intl.RelativeTimeFormat(this.language, { style: 'short' });
    const [unit, size] = largestUnit(Math.abs(seconds));
    return this.#distances.format(Math.trunc(seconds / size), unit);
  };

  /** No more digits than matter. */
  readonly measured = (value: number): string => {
    this.#measured ??= new Intl.NumberFormat(this.language, { maximumSignificantDigits: 3 });
    return Math.abs(value) >= 100 ? this.number(Math.round(value)) : this.#measured.format(value);
  };

  /** A duration that was measured, in seconds or milliseconds. */
  readonly seconds = (seconds: number): string => {
    const [value, unit] = seconds >= 1 ? [seconds, 'second'] : [seconds * 1_000, 'millisecond'];
    const format = { style: 'unit', unit, unitDisplay: 'short', maximumSignificantDigits: 3 } as const;
    return value.toLocaleString(this.language, format);
  };

  /** The time of day, where the reader is. */
  readonly clock = (timeMs: number): string => {
    this.#clock ??= new Intl.DateTimeFormat(this.language, { timeStyle: 'medium', hourCycle: 'h23' });
    return this.#clock.format(timeMs);
  };

  /** Day and time, where the reader is. */
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
