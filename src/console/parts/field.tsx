import { useId, type ReactNode } from 'react';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly isRequired?: boolean;
  readonly onChange: (value: string) => void;
}

export function TextField({ label, value, isRequired = false, onChange }: TextFieldProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        autoComplete="off"
        spellCheck={false}
        required={isRequired}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** Empty while nothing is selected. */
  readonly value: string;
  /** Values; with their labels when those differ. */
  readonly choices: readonly (string | readonly [value: string, name: string])[];
  readonly isDisabled?: boolean;
  /** `field`: the label is above the values. `line`: it is next to them. */
  readonly className?: string;
  readonly onChange: (value: string) => void;
}

export function Choice(props: ChoiceProps): ReactNode {
  const { label, value, choices, isDisabled = false, className = 'field', onChange } = props;
  const id = useId();
  const pairs = choices.map((one) => (typeof one === 'string' ? ([one, one] as const) : one));
  return (
    <div className={className}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} disabled={isDisabled} onChange={({ target }) => onChange(target.value)}>
        {value === '' && pairs.every(([one]) => one !== '') && <option value="" />}
        {pairs.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
