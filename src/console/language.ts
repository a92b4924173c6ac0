import { KeptText } from './lib/storage.js';
import { Store } from './lib/store.js';
import { english, setText, type Texts } from './texts.js';
import { isLanguage, preferredLanguage, type Language } from './texts/languages.js';

/** What was chosen stays chosen in this browser. */
const kept = new KeptText('localStorage', 'xsvc-language');

/** Each is loaded when somebody wants it. */
const FILES: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ readonly texts: Texts }>>> = {
  zh: () => import('./texts/zh.js'),
  ja: () => import('./texts/ja.js'),
  de: () => import('./texts/de.js'),
  fr: () => import('./texts/fr.js'),
  es: () => import('./texts/es.js'),
  ru: () => import('./texts/ru.js'),
};

/** The one that the page speaks now. */
export const language = new Store<Language>('en');
let wanted: Language = 'en';

/** Before anything is shown: what was chosen here before, or else what the browser says that its user reads. */
export function speakPreferred(): Promise<void> {
  const chosen = kept.get() ?? '';
  return speak(isLanguage(chosen) ? chosen : preferredLanguage(navigator.languages));
}

/** From now on, also when the page is opened again. What was typed stays where it is. */
export function chooseLanguage(chosen: Language): Promise<void> {
  kept.set(chosen);
  return speak(chosen);
}

/** Where its file cannot be loaded, the page speaks English. */
async function speak(code: Language): Promise<void> {
  wanted = code;
  const texts = code === 'en' ? english : await FILES[code]().then(getTexts, () => undefined);
  // Another one was chosen while this one was loading.
  if (wanted !== code) return;
  const spoken = texts === undefined ? 'en' : code;
  setText(texts ?? english);
  document.documentElement.lang = spoken;
  language.set(spoken);
}

function getTexts({ texts }: { readonly texts: Texts }): Texts {
  return texts;
}
