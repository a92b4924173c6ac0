import { KeptText } from './lib/storage.js';
import { Store } from './lib/store.js';
import { english, setText, type Texts } from './texts.js';
import { isLanguage, preferredLanguage, type Language } from './texts/languages.js';

/** The choice is stored in this browser. */
const kept = new KeptText('localStorage', 'xsvc-language');

/** Each file is loaded on demand. */
const FILES: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ readonly texts: Texts }>>> = {
  de: () => import('./texts/de.js'),
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
  const texts = code === 'en' ? english : await FILES[code]().then(getTexts, () => undefined);
  // Another one was chosen during the load.
  if (wanted !== code) return;
  const spoken = texts === undefined ? 'en' : code;
  setText(texts ?? english);
  document.documentElement.lang = spoken;
  language.set(spoken);
}

function getTexts({ texts }: { readonly texts: Texts }): Texts {
  return texts;
}
