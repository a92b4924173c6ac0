/** The languages of messages, the default first. */
export const LANGUAGES = ['en', 'zh', 'zh-TW', 'ja', 'de', 'fr', 'es', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The limit of preferences that are read from one header. */
const PREFERENCES_MAX = 50;

interface Preference {
  /** Lower case; `*` is any language. */
  readonly range: string;
  /** 0 to 1; 0 excludes the language. */
  readonly quality: number;
}

/**
 * Selects the language for an `Accept-Language` header (RFC 9110) from the languages of messages. A region falls back to its
 * language (`de-AT` to `de`). Chinese in traditional script, or of Taiwan, Hong Kong or Macau without a script, falls back to
 * `zh-TW`. English without a header, or when none of its languages is available.
 */
export function preferredLanguage(header: string | undefined): Language {
  const preferences = parsePreferences(header ?? '');
  const refused = new Set(
    preferences.filter(({ quality }) => quality === 0).map(({ range }) => getLanguage(range)),
  );
  const wanted = preferences
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ range }) =>
      range === '*' ? LANGUAGES.find((language) => !refused.has(language)) : getLanguage(range),
    );
  return wanted.find((language) => language !== undefined) ?? 'en';
}

function parsePreferences(header: string): Preference[] {
  const members = header.split(',', PREFERENCES_MAX).map((member) => member.trim());
  return members
    .filter((member) => member !== '')
    .map((member) => {
      const [range = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { range, quality: getQuality(quality) };
    });
}

/** Reads a quality; one that cannot be parsed counts as 0. */
function getQuality(text: string | undefined): number {
  if (text === undefined) return 1;
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}

const TRADITIONAL_CHINESE = /^zh-(?!hans\b)(?:.*-)?(?:tw|hk|mo|hant)(?:-|$)/;

function getLanguage(range: string): Language | undefined {
  if (TRADITIONAL_CHINESE.test(range)) return 'zh-TW';
  const [primary] = range.split('-');
  return LANGUAGES.find((language) => language === primary);
}
