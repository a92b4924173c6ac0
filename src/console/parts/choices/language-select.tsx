import { useId, type ReactNode } from 'react';
import { chooseLanguage, language } from '../../language.js';
import { useStore } from '../../lib/store.js';
import { t } from '../../texts.js';
import { isLanguage, LANGUAGE_NAMES } from '../../texts/languages.js';

/** The selection of the page's language. Each name is in its own language, for users who cannot read the current one. */
export function LanguageSelect(): ReactNode {
  const id = useId();
  const choose = (code: string): void => {
    if (isLanguage(code)) void chooseLanguage(code);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{t`Language`}</label>
      <select id={id} value={useStore(language)} onChange={({ target }) => choose(target.value)}>
        {Object.entries(LANGUAGE_NAMES).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
