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
  /** Values and their labels. */
  readonly choices: readonly (readonly [value: string, name: string])[];
  readonly onChange: (value: string) => void;
}

export function Choice({ label, value, choices, onChange }: ChoiceProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {value === '' && <option value="" />}
        {choices.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
