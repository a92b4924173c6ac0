/** The languages of the page with their own names. English is first. */
export const LANGUAGE_NAMES = {
  en: 'English',
  de: 'Deutsch',
} as const;

export type Language = keyof typeof LANGUAGE_NAMES;

export function isLanguage(code: string): code is Language {
  return Object.hasOwn(LANGUAGE_NAMES, code);
}

/** The first of the wanted languages (BCP 47) that the page supports, in any region; otherwise English. */
export function preferredLanguage(wanted: readonly string[]): Language {
  const primary = wanted.map((tag) => tag.toLowerCase().split('-')[0] ?? '');
  return primary.find(isLanguage) ?? 'en';
}
