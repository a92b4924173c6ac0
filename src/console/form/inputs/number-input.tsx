import { useState, type ReactNode } from 'react';
import type { JsonObject } from '../../lib/json.js';
import type { OneProps } from '../parts.js';
import { formatText, getNumber, orNothing, sameValue } from './values.js';

export function NumberInput({ value, input, onChange }: OneProps): ReactNode {
  const [typed, setTyped] = useState('');
  // `1.` is a prefix of `1.5`, and the same number as `1`.
  const shown = typed !== '' && sameValue(getNumber(typed), value) ? typed : formatText(value);
  return (
    <input
      {...input}
      className="form-number"
      value={shown}
      inputMode="decimal"
      autoComplete="off"
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(target.value === '' ? undefined : getNumber(target.value));
      }}
    />
  );
}

/** A whole number, or a text: what is typed decides. */
export function WholeOrTextInput({ value, input, onChange }: OneProps): ReactNode {
  return (
    <input
      {...input}
      value={formatText(value)}
      autoComplete="off"
      spellCheck={false}
      onChange={({ target: { value: typed } }) =>
        onChange(/^(0|-?[1-9]\d*)$/.test(typed) ? getNumber(typed) : orNothing(typed))
      }
    />
  );
}

/** A number between two limits. */
export function SliderInput({ schema, ...one }: OneProps & { readonly schema: JsonObject }): ReactNode {
  const { minimum, maximum, multipleOf, type } = schema;
  if (typeof minimum !== 'number' || typeof maximum !== 'number') return <NumberInput {...one} />;
  const { value, input, onChange } = one;
  const step = type === 'integer' ? 1 : (maximum - minimum) / 100;
  return (
    <div className="row tight form-with">
      <input
        type="range"
        aria-label={input['aria-label']}
        min={minimum}
        max={maximum}
        step={typeof multipleOf === 'number' ? multipleOf : step}
        value={formatText(value) || input.placeholder || String(minimum)}
        onChange={({ target }) => onChange(getNumber(target.value))}
      />
      <NumberInput {...one} />
    </div>
  );
}
