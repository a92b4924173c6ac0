import { useState, type ReactNode } from 'react';
import type { OneProps } from '../parts.js';
import { TextInput } from './text-input.js';
import { findUtcTime, formatText, inLocalTime, orNothing } from './values.js';

/** A date, or a time in the reader's time zone. A text that is neither stays text. */
export function TimeInput({ hasTime, ...one }: OneProps & { readonly hasTime: boolean }): ReactNode {
  const { value, input, onChange } = one;
  const text = formatText(value);
  const local = hasTime ? inLocalTime(value) : text;
  const [isText] = useState(text !== '' && (hasTime ? local === undefined : !/^\d{4}-\d\d-\d\d$/.test(text)));
  if (isText) return <TextInput {...one} />;
  return (
    <input
      {...input}
      type={hasTime ? 'datetime-local' : 'date'}
      step={hasTime ? 1 : undefined}
      title={hasTime && local !== undefined ? text : undefined}
      value={local ?? ''}
      onChange={({ target }) => onChange((hasTime ? findUtcTime : orNothing)(target.value))}
    />
  );
}
