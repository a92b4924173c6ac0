import { useId, type ReactNode } from 'react';

interface SegmentedProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly (readonly [value: T, name: string])[];
  readonly onChange: (value: T) => void;
}

/** A choice among a few values that are all displayed. */
export function Segmented<T extends string>({
  label,
  value,
  choices,
  onChange,
}: SegmentedProps<T>): ReactNode {
  const name = useId();
  return (
    <fieldset className="segmented">
      <legend>{label}</legend>
      <div className="segmented-choices">
        {choices.map(([one, text]) => (
          <label key={one} className="segmented-choice">
            <input
              type="radio"
              className="unseen"
              name={name}
              checked={one === value}
              onChange={() => onChange(one)}
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
