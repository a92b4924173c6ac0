import Negotiator from 'negotiator';

/** The languages of messages, the default first. */
export const LANGUAGES = ['en', 'zh', 'zh-TW', 'ja', 'de', 'fr', 'es', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Only the beginning of a longer header is read, because parsing it would take long. */
const HEADER_LENGTH_MAX = 1_000;

/**
 * Selects the language for an `Accept-Language` header (RFC 9110) from the languages of messages. A region falls back to its
 * language (`de-AT` to `de`). Chinese in traditional script, or of Taiwan, Hong Kong or Macau without a script, falls back to
 * `zh-TW`. English without a header, or when none of its languages is available.
 */
export function preferredLanguage(header = ''): Language {
  const headers = { 'accept-language': header.slice(0, HEADER_LENGTH_MAX) };
  const negotiator = new Negotiator({ headers });
  const ranges = negotiator
    .languages()
    .flatMap((range) => (range === '*' ? negotiator.languages([...LANGUAGES]) : [range]));
  return ranges.map(getLanguage).find((language) => language !== undefined) ?? 'en';
}

const TRADITIONAL_CHINESE = /^zh-(?!hans\b)(?:.*-)?(?:tw|hk|mo|hant)(?:-|$)/i;

function getLanguage(range: string): Language | undefined {
  if (TRADITIONAL_CHINESE.test(range)) return 'zh-TW';
  const [primary] = range.toLowerCase().split('-');
  return LANGUAGES.find((language) => language === primary);
}
