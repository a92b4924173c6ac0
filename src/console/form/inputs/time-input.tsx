import { useState, type ReactNode } from 'react';
import type { OneProps } from '../parts.js';
import { TextInput } from './text-input.js';
import { findUtcTime, formatText, inLocalTime, orNothing } from './values.js';

export function DateInput(one: OneProps): ReactNode {
  const { value, input, onChange } = one;
  const shown = formatText(value);
  const [isText] = useState(shown !== '' && !/^\d{4}-\d\d-\d\d$/.test(shown));
  if (isText) return <TextInput {...one} />;
  return (
    <input
      {...input}
      type="date"
      value={shown}
      onChange={({ target }) => onChange(orNothing(target.value))}
    />
  );
}

export function TimeInput(one: OneProps): ReactNode {
  const { value, input, onChange } = one;
  const local = inLocalTime(value);
  const [isText] = useState(local === undefined && formatText(value) !== '');
  if (isText) return <TextInput {...one} />;
  return (
    <input
      {...input}
      type="datetime-local"
      step={1}
      // The input displays the time in the reader's time zone.
      title={local === undefined ? undefined : formatText(value)}
      value={local ?? ''}
      onChange={({ target }) => onChange(findUtcTime(target.value))}
    />
  );
}
