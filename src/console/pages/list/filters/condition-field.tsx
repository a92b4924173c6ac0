import { useEffect, useId, useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { useSettled } from '../../../lib/use-settled.js';
import { Icon } from '../../../parts/icon.js';

interface ConditionFieldProps {
  /** True for a search, which follows the typing. */
  readonly isSearch?: boolean;
  readonly label: string;
  readonly hint: string;
  /** The value in the URL. */
  readonly value: string;
  readonly problem: string | undefined;
  /** The value of a typed text. */
  readonly read: (typed: string) => string;
  readonly onApply: (value: string) => void;
}

/** A condition as a text. Enter applies it. */
export function ConditionField(props: ConditionFieldProps): ReactNode {
  const { isSearch = false, label, hint, value, problem, read, onApply } = props;
  const id = useId();
  const [typed, setTyped] = useState(value);
  const applied = useRef(value);
  const settled = useSettled(typed);
  const apply = (text: string): void => {
    const wanted = read(text);
    if (wanted === applied.current) return;
    applied.current = wanted;
    onApply(wanted);
  };
  useEffect(() => {
    if (isSearch) apply(settled);
  }, [settled]);
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
  const ofSearch = { type: 'search', 'aria-label': label, 'aria-keyshortcuts': '/', 'data-search': '' };
  return (
    <form className={isSearch ? 'condition-field-search' : 'field'} onSubmit={submit}>
      {isSearch ? <Icon name="search" /> : <label htmlFor={id}>{label}</label>}
      <input
        id={id}
        {...(isSearch ? ofSearch : { className: 'mono' })}
        placeholder={hint}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <p id={`${id}-problem`} className="problem" role="alert">
        {problem !== undefined && <span lang="en">{problem}</span>}
      </p>
    </form>
  );
}
