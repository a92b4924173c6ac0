import { useEffect, useId, useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { useSettled } from '../../../lib/use-settled.js';
import { t } from '../../../texts.js';

interface NameFieldProps {
  /** The value in the URL. */
  readonly value: string;
  readonly onApply: (value: string) => void;
}

/** A search for objects by the beginning of their names. It follows the typing; Enter applies it immediately. */
export function NameField({ value, onApply }: NameFieldProps): ReactNode {
  const id = useId();
  const [typed, setTyped] = useState(value);
  const applied = useRef(value);
  const settled = useSettled(typed);
  const apply = (text: string): void => {
    const prefix = readPrefix(text);
    if (prefix === applied.current) return;
    applied.current = prefix;
    onApply(prefix);
  };
  useEffect(() => apply(settled), [settled]);
  // The URL may change without the field, for example by the back button.
  useEffect(() => {
    if (value === applied.current) return;
    applied.current = value;
    setTyped(value);
  }, [value]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    apply(typed);
  };
  return (
    <form className="name-search line" onSubmit={submit}>
      <label htmlFor={id}>{t`Name begins with`}</label>
      <input
        id={id}
        type="search"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </form>
  );
}

/** Names have lowercase letters only. */
function readPrefix(typed: string): string {
  return typed.trim().toLowerCase();
}
