import { useId, type ReactNode } from 'react';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  /** The faults of the value. */
  readonly messages?: readonly string[];
  readonly note?: string | undefined;
  readonly onChange: (value: string) => void;
}

interface TextFieldProps extends FieldProps {
  readonly isRequired?: boolean;
  readonly placeholder?: string | undefined;
  readonly onEnter?: (() => void) | undefined;
}

export function TextField(props: TextFieldProps): ReactNode {
  const { label, value, messages = [], note, isRequired = false, placeholder, onChange, onEnter } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        required={isRequired}
        placeholder={placeholder}
        value={value}
        {...describe(id, messages)}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || onEnter === undefined) return;
          event.preventDefault();
          onEnter();
        }}
      />
      <Notes id={`${id}-notes`} messages={messages} note={note} />
    </div>
  );
}

interface ChoiceProps extends FieldProps {
  /** Values; with their labels when those differ. An empty value, and one of no choice, select nothing. */
  readonly choices: readonly (string | readonly [value: string, name: string])[];
  readonly isDisabled?: boolean;
  /** `field`: the label is above the values. `line`: it is next to them. */
  readonly className?: string;
}

export function Choice(props: ChoiceProps): ReactNode {
  const { label, value, choices, isDisabled = false, className = 'field', messages = [], note } = props;
  const id = useId();
  const pairs = choices.map((one) => (typeof one === 'string' ? ([one, one] as const) : one));
  return (
    <div className={className}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        disabled={isDisabled}
        {...describe(id, messages)}
        onChange={({ target }) => props.onChange(target.value)}
      >
        {value === '' && pairs.every(([one]) => one !== '') && <option value="" />}
        {pairs.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
      <Notes id={`${id}-notes`} messages={messages} note={note} />
    </div>
  );
}

function describe(id: string, messages: readonly string[]): object {
  return messages.length > 0 ? { 'aria-invalid': true, 'aria-describedby': `${id}-notes` } : {};
}

interface NotesProps {
  readonly id?: string;
  readonly messages: readonly string[];
  readonly note?: string | undefined;
}

/** The faults of a field, and a note about it. */
export function Notes({ id, messages, note }: NotesProps): ReactNode {
  if (messages.length === 0 && note === undefined) return null;
  return (
    <div id={id}>
      {messages.map((message) => (
        <p key={message} className="problem" tabIndex={-1}>
          {message}
        </p>
      ))}
      {note !== undefined && <p className="faint">{note}</p>}
    </div>
  );
}

interface SearchFieldProps {
  readonly label: string;
  readonly typed: string;
  readonly hasFocus?: boolean;
  readonly onType: (typed: string) => void;
}

/** A field that limits what is below it. */
export function SearchField({ label, typed, hasFocus = false, onType }: SearchFieldProps): ReactNode {
  return (
    <input
      type="search"
      className="find"
      autoFocus={hasFocus}
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      spellCheck={false}
      value={typed}
      onChange={({ target }) => onType(target.value)}
    />
  );
}
