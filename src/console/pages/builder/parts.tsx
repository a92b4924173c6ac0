import { useId, type ReactNode } from 'react';
import { useProblemsOf } from './builder-context.js';

interface LineProps {
  readonly label: string;
  readonly value: string;
  /** The field and its part, for messages. */
  readonly fieldId?: string | undefined;
  readonly part: string;
  readonly note?: string;
  readonly placeholder?: string;
  readonly isLong?: boolean;
  readonly isFirst?: boolean;
  readonly onChange: (value: string) => void;
  readonly onEnter?: () => void;
}

/** A text of the draft, with the messages about it. */
export function Line(props: LineProps): ReactNode {
  const {
    label,
    value,
    fieldId,
    part,
    note,
    placeholder,
    isLong = false,
    isFirst,
    onChange,
    onEnter,
  } = props;
  const id = useId();
  const messages = useProblemsOf(fieldId, part);
  const common = {
    id,
    value,
    placeholder,
    dir: 'auto',
    autoComplete: 'off',
    spellCheck: false,
    'aria-describedby': `${id}-notes`,
    'aria-invalid': messages.length > 0,
  } as const;
  return (
    <div className="field builder-line">
      <label htmlFor={id}>{label}</label>
      {isLong ? (
        <textarea {...common} rows={2} onChange={({ target }) => onChange(target.value)} />
      ) : (
        <input
          {...common}
          data-first={isFirst === true ? '' : undefined}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || onEnter === undefined) return;
            event.preventDefault();
            onEnter();
          }}
        />
      )}
      <Notes id={`${id}-notes`} messages={messages} note={note} />
    </div>
  );
}

interface NotesProps {
  readonly id?: string;
  readonly messages: readonly string[];
  readonly note?: string | undefined;
}

/** Messages, and a note. */
export function Notes({ id, messages, note }: NotesProps): ReactNode {
  return (
    <div id={id} className="field-notes">
      {messages.map((message) => (
        <p key={message} className="problem">
          {message}
        </p>
      ))}
      {note !== undefined && <p className="faint">{note}</p>}
    </div>
  );
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
    <label className="builder-tick" title={note}>
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
