/** What the page can speak, and what those who speak it call it. English comes first. */
export const LANGUAGE_NAMES = {
  en: 'English',
  zh: '中文',
  ja: '日本語',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ru: 'Русский',
} as const;

export type Language = keyof typeof LANGUAGE_NAMES;

export function isLanguage(code: string): code is Language {
  return Object.hasOwn(LANGUAGE_NAMES, code);
}

/** The first of the wanted ones (BCP 47) that the page can speak, in whatever region; English when there is none. */
export function preferredLanguage(wanted: readonly string[]): Language {
  const primary = wanted.map((tag) => tag.toLowerCase().split('-')[0] ?? '');
  return primary.find(isLanguage) ?? 'en';
}
