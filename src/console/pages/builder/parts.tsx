import type { ReactNode } from 'react';
import { TextField } from '../../parts/field.js';
import { useProblemsOf } from './builder-context.js';

interface LineProps {
  readonly label: string;
  readonly value: string;
  /** The field and its part, for messages. */
  readonly fieldId?: string;
  readonly part: string;
  readonly note?: string | undefined;
  readonly placeholder?: string;
  readonly onChange: (value: string) => void;
  readonly onEnter?: () => void;
}

/** A text of the draft, with the messages about it. */
export function Line({ fieldId, part, ...field }: LineProps): ReactNode {
  return <TextField {...field} messages={useProblemsOf(fieldId, part)} />;
}

interface TickProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly note?: string;
  readonly onChange: (isOn: boolean) => void;
}

/** A switch of the draft. */
export function Tick({ label, isOn, isDisabled = false, note, onChange }: TickProps): ReactNode {
  return (
    <label className="line builder-tick" title={note}>
      <input
        type="checkbox"
        checked={isOn}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      {label}
    </label>
  );
}
