import { useId, type ReactNode } from 'react';
import { t } from '../../texts.js';
import type { OneProps } from '../parts.js';
import { TextInput } from './text-input.js';
import { formatText, sameValue } from './values.js';

/** Up to so many choices, of so many characters, are side by side. */
const SEGMENTS_MAX = 4;
const LENGTH_MAX = 36;

interface ChoiceInputProps extends OneProps {
  readonly choices: readonly unknown[];
  readonly isRequired: boolean;
}

/** One of some values: side by side when they are few, or in a list. */
export function ChoiceInput({ choices, ...props }: ChoiceInputProps): ReactNode {
  const { value } = props;
  // An unknown value is kept until another one is chosen.
  const isKnown = value === undefined || value === null || choices.some((one) => sameValue(one, value));
  const all = isKnown ? choices : [...choices, value];
  const length = all.reduce<number>((sum, one) => sum + formatText(one).length, 0);
  const isShort = all.length > 1 && all.length <= SEGMENTS_MAX && length <= LENGTH_MAX;
  return isShort ? <Segments choices={all} {...props} /> : <Options choices={all} {...props} />;
}

function Segments({ choices, isRequired, value, input, onChange }: ChoiceInputProps): ReactNode {
  const name = useId();
  const { id, placeholder = '', ...rest } = input;
  const chosen = value ?? (placeholder === '' ? undefined : placeholder);
  const all = isRequired || placeholder !== '' ? choices : [undefined, ...choices];
  return (
    <div {...rest} className="segmented-choices form-segments" role="radiogroup">
      {all.map((one, i) => (
        <label key={i} className="segmented-choice" title={one === undefined ? t`not set` : undefined}>
          <input
            type="radio"
            name={name}
            className="form-segment"
            // The label of the field leads here.
            id={one === choices[0] ? id : undefined}
            aria-label={one === undefined ? t`not set` : formatText(one)}
            checked={one === undefined ? chosen === undefined : sameValue(one, chosen)}
            onChange={() => onChange(one)}
          />
          <span dir="auto">{one === undefined ? '–' : formatText(one)}</span>
        </label>
      ))}
    </div>
  );
}

function Options({ choices, isRequired, value, input, onChange }: ChoiceInputProps): ReactNode {
  const { placeholder = '', ...rest } = input;
  const isSet = value !== undefined && value !== null;
  const chosen = choices.findIndex((one) => sameValue(one, value));
  return (
    <select
      {...rest}
      value={isSet ? String(chosen) : ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : choices[Number(target.value)])}
    >
      {!(isRequired && isSet) && (
        <option value="">{placeholder === '' ? t`not set` : t`not set (${placeholder})`}</option>
      )}
      {choices.map((one, i) => (
        <option key={i} value={String(i)}>
          {formatText(one)}
        </option>
      ))}
    </select>
  );
}

/** True or false. A text in its place is kept, so that it can be corrected. */
export function SwitchInput(one: OneProps): ReactNode {
  const { value, input, onChange } = one;
  if (typeof value === 'string') return <TextInput {...one} />;
  const { placeholder, 'aria-required': _required, ...rest } = input;
  return (
    <input
      {...rest}
      type="checkbox"
      role="switch"
      className="form-switch"
      checked={formatText(value ?? placeholder) === 'true'}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}
