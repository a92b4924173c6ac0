import { KeptText } from './lib/storage.js';
import { Store } from './lib/store.js';
import { setTexts, type Translations } from './texts.js';
import { isLanguage, preferredLanguage, type Language } from './texts/languages.js';
import { Writing } from './texts/writing.js';

/** The choice is stored in this browser. */
const kept = new KeptText('localStorage', 'xsvc-language');

/** Each file is loaded on demand. */
const FILES: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ readonly default: Translations }>>> = {
  de: () => import('./texts/de.json'),
};

/** The current language of the page. */
export const language = new Store<Language>('en');
let wanted: Language = 'en';

/** Runs before anything is displayed: uses the stored choice, or else the browser's preferences. */
export function speakPreferred(): Promise<void> {
  const chosen = kept.get() ?? '';
  return speak(isLanguage(chosen) ? chosen : preferredLanguage(navigator.languages));
}

/** Stores the choice for later visits. Unsaved input is kept. */
export function chooseLanguage(chosen: Language): Promise<void> {
  kept.set(chosen);
  return speak(chosen);
}

/** Falls back to English when the file cannot be loaded. */
async function speak(code: Language): Promise<void> {
  wanted = code;
  const file = code === 'en' ? undefined : await FILES[code]().catch(() => undefined);
  // Another one was chosen during the load.
  if (wanted !== code) return;
  const spoken = file === undefined ? 'en' : code;
  setTexts(new Writing(spoken), file?.default ?? {});
  document.documentElement.lang = spoken;
  language.set(spoken);
}
