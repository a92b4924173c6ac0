import { useId, type ReactNode } from 'react';
import { Icon } from '../icon.js';

interface SegmentedProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly (readonly [value: T, name: string])[];
  /** True when the values are names of icons, which are displayed. */
  readonly hasIcons?: boolean;
  /** True when only screen readers need the label. */
  readonly isLabelUnseen?: boolean;
  readonly onChange: (value: T) => void;
}

/** A choice among a few values that are all displayed. */
export function Segmented<T extends string>({
  label,
  value,
  choices,
  hasIcons = false,
  isLabelUnseen = false,
  onChange,
}: SegmentedProps<T>): ReactNode {
  const name = useId();
  return (
    <fieldset className="field">
      <legend className={isLabelUnseen ? 'unseen' : undefined}>{label}</legend>
      <div className="segmented-choices">
        {choices.map(([one, text]) => (
          <label key={one} className="segmented-choice" title={hasIcons ? text : undefined}>
            <input
              type="radio"
              className="unseen"
              name={name}
              checked={one === value}
              onChange={() => onChange(one)}
            />
            {hasIcons && <Icon name={one} />}
            <span className={hasIcons ? 'unseen' : undefined}>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
