import type { ReactNode } from 'react';
import { t } from '../../texts.js';
import type { OneProps } from '../parts.js';
import { TextInput } from './text-input.js';
import { formatText } from './values.js';

/** A colour as text, and the picker of the browser. */
export function ColorInput(one: OneProps): ReactNode {
  const { value, input, onChange } = one;
  const text = formatText(value);
  return (
    <div className="form-with">
      <input
        type="color"
        className="form-color"
        aria-label={t`Choose ${input['aria-label']}`}
        value={/^#[\da-f]{6}$/i.test(text) ? text : '#000000'}
        onChange={({ target }) => onChange(target.value)}
      />
      <TextInput {...one} />
    </div>
  );
}
