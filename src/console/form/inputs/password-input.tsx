import { useState, type ReactNode } from 'react';
import { t } from '../../texts.js';
import type { OneProps } from '../parts.js';
import { formatText, orNothing } from './values.js';

/** A text that is hidden until the user shows it. */
export function PasswordInput({ value, input, onChange }: OneProps): ReactNode {
  const [isShown, setIsShown] = useState(false);
  return (
    <div className="form-with">
      <input
        {...input}
        type={isShown ? 'text' : 'password'}
        value={formatText(value)}
        autoComplete="new-password"
        onChange={({ target }) => onChange(orNothing(target.value))}
      />
      <button
        type="button"
        className="quiet"
        aria-pressed={isShown}
        aria-label={t`Show ${input['aria-label']}`}
        onClick={() => setIsShown(!isShown)}
      >
        {isShown ? t`Hide` : t`Show`}
      </button>
    </div>
  );
}
