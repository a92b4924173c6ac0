import type { ReactNode } from 'react';
import type { OneProps } from '../parts.js';
import { formatText } from './values.js';
import { TextInput } from './text-input.js';

/** True or false. A text in its place is kept, so that it can be corrected. */
export function SwitchInput(one: OneProps): ReactNode {
  const { value, input, onChange } = one;
  if (typeof value === 'string') return <TextInput {...one} />;
  const { placeholder, 'aria-required': _required, ...rest } = input;
  const isOn = value === undefined || value === null ? placeholder === 'true' : formatText(value) === 'true';
  return (
    <span className="form-switch">
      <input
        {...rest}
        type="checkbox"
        role="switch"
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
      />
    </span>
  );
}
