import { useState, type ReactNode } from 'react';
import { t } from '../texts.js';
import { ReferencePicker } from './reference-picker.js';
import { inLocalTime, getNumber, findUtcTime } from './values.js';
import type { InputProps } from './parts.js';
import type { ScalarShape } from './shape.js';

interface ScalarInputProps {
  readonly shape: ScalarShape;
  readonly value: unknown;
  readonly input: InputProps;
  /** Called with undefined when the input is empty. */
  readonly onChange: (value: unknown) => void;
}

/** An input for one value. Input that does not match the type remains text. */
export function ScalarInput({ shape, value, input, onChange }: ScalarInputProps): ReactNode {
  if (shape.choices !== undefined)
    return <ChoiceInput choices={shape.choices} value={value} input={input} onChange={onChange} />;
  if (shape.target !== undefined)
    return (
      <ReferencePicker
        target={shape.target}
        value={formatText(value)}
        input={input}
        onChange={(typed) => onChange(orNothing(typed))}
      />
    );
  switch (shape.kind) {
    case 'integer':
    case 'number':
      return <NumberInput value={value} input={input} onChange={onChange} />;
    case 'date-time':
      return <TimeInput value={value} input={input} onChange={onChange} />;
    case 'date':
      return <DateInput value={value} input={input} onChange={onChange} />;
    default:
      return <TextInput value={value} input={input} onChange={onChange} />;
  }
}

type OneProps = Omit<ScalarInputProps, 'shape'>;

const orNothing = (typed: string): string | undefined => (typed === '' ? undefined : typed);
const LONG = 120;

/** The text of an input. Objects have no input. */
function formatText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return '';
  }
}

function TextInput({ value, input, onChange }: OneProps): ReactNode {
  const shown = formatText(value);
  // The first length decides, so that the input is not replaced during typing.
  const [isLong] = useState(shown.length > LONG || shown.includes('\n'));
  const props = { ...input, value: shown, spellCheck: false, autoComplete: 'off' };
  return isLong ? (
    <textarea {...props} rows={4} onChange={({ target }) => onChange(orNothing(target.value))} />
  ) : (
    <input {...props} onChange={({ target }) => onChange(orNothing(target.value))} />
  );
}

function NumberInput({ value, input, onChange }: OneProps): ReactNode {
  const [typed, setTyped] = useState('');
  // `1.` is a prefix of `1.5`, and the same number as `1`.
  const shown = typed !== '' && sameValue(getNumber(typed), value) ? typed : formatText(value);
  return (
    <input
      {...input}
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

function DateInput({ value, input, onChange }: OneProps): ReactNode {
  const shown = formatText(value);
  const [isText] = useState(shown !== '' && !/^\d{4}-\d\d-\d\d$/.test(shown));
  if (isText) return <TextInput value={value} input={input} onChange={onChange} />;
  return (
    <input
      {...input}
      type="date"
      value={shown}
      onChange={({ target }) => onChange(orNothing(target.value))}
    />
  );
}

function TimeInput({ value, input, onChange }: OneProps): ReactNode {
  const local = inLocalTime(value);
  const [isText] = useState(local === undefined && formatText(value) !== '');
  if (isText) return <TextInput value={value} input={input} onChange={onChange} />;
  return (
    <div className="time row">
      <input
        {...input}
        type="datetime-local"
        step={1}
        value={local ?? ''}
        onChange={({ target }) => onChange(findUtcTime(target.value))}
      />
      {/* The input displays the time in the reader's time zone. */}
      {local !== undefined && <code className="faint">{formatText(value)}</code>}
    </div>
  );
}

function ChoiceInput({
  choices,
  value,
  input,
  onChange,
}: OneProps & Pick<ScalarShape, 'choices'>): ReactNode {
  const { placeholder = '', ...rest } = input;
  const isSet = value !== undefined && value !== null;
  const known = choices ?? [];
  // An unknown value is kept until another one is chosen.
  const all = isSet && !known.some((one) => sameValue(one, value)) ? [...known, value] : known;
  const chosen = all.findIndex((one) => sameValue(one, value));
  return (
    <select
      {...rest}
      value={isSet ? String(chosen) : ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : all[Number(target.value)])}
    >
      <option value="">{placeholder === '' ? t`not set` : t`not set (${placeholder})`}</option>
      {all.map((one, i) => (
        <option key={i} value={String(i)}>
          {formatText(one)}
        </option>
      ))}
    </select>
  );
}

/** Numbers of the text may be long integers, those of the schema are not. */
function sameValue(a: unknown, b: unknown): boolean {
  return (typeof a === 'string') === (typeof b === 'string') && formatText(a) === formatText(b);
}
