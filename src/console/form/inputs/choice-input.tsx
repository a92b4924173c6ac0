import { useId, type ReactNode } from 'react';
import { t } from '../../texts.js';
import type { OneProps } from '../parts.js';
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
  const { id, placeholder = '', 'aria-required': _required, 'aria-invalid': isInvalid, ...rest } = input;
  const isSet = value !== undefined && value !== null;
  const hasNone = !isRequired && placeholder === '';
  const chosen = isSet ? value : placeholder;
  return (
    <div {...rest} className="form-segments" role="radiogroup" data-invalid={isInvalid}>
      {hasNone && (
        <label title={t`not set`}>
          <input
            type="radio"
            name={name}
            aria-label={t`not set`}
            checked={!isSet}
            onChange={() => onChange(undefined)}
          />
          <span>–</span>
        </label>
      )}
      {choices.map((one, i) => (
        <label key={i}>
          <input
            type="radio"
            name={name}
            // The label of the field leads here.
            id={i === 0 ? id : undefined}
            aria-label={formatText(one)}
            checked={sameValue(one, chosen)}
            onChange={() => onChange(one)}
          />
          <span dir="auto">{formatText(one)}</span>
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
