import {
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type SubmitEvent,
} from 'react';
import { t } from '../../../texts.js';
import { useSuggestions, type Suggesting } from './use-suggestions.js';
import { SuggestionList } from './suggestion-list.js';

interface ConditionFieldProps {
  readonly suggesting: Suggesting;
  /** The value in the URL. */
  readonly value: string;
  readonly label: string;
  readonly hint: string;
  readonly problem: string | undefined;
  readonly onApply: (value: string) => void;
}

/** A field for one of the conditions, with suggestions. Enter applies it. */
export function ConditionField({
  suggesting,
  value,
  label,
  hint,
  problem,
  onApply,
}: ConditionFieldProps): ReactNode {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useTyped(value);
  const [caret, setCaret] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const { from, items } = useSuggestions(suggesting, typed.slice(0, caret), isOpen);
  const shown = Math.min(active, items.length - 1);
  const wantedCaret = useRef<number>(undefined);
  useEffect(() => {
    if (wantedCaret.current === undefined) return;
    input.current?.setSelectionRange(wantedCaret.current, wantedCaret.current);
    wantedCaret.current = undefined;
  }, [typed]);
  const close = (): void => {
    setIsOpen(false);
    setActive(-1);
  };
  const accept = (index: number): void => {
    const { insert } = items[index] ?? { insert: '' };
    const end = from + insert.length;
    wantedCaret.current = end;
    setTyped(typed.slice(0, from) + insert + typed.slice(caret));
    setCaret(end);
    setActive(-1);
  };
  const follow = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void =>
    setCaret(currentTarget.selectionEnd ?? 0);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      follow(event);
      setIsOpen(true);
      // The typed text precedes the first one.
      if (isOpen) setActive(((shown + step + 1 + items.length + 1) % (items.length + 1)) - 1);
    } else if (event.key === 'Enter' && isOpen && shown >= 0) {
      event.preventDefault();
      accept(shown);
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      close();
    }
  };
  const apply = (event: SubmitEvent): void => {
    event.preventDefault();
    close();
    onApply(typed.trim());
  };
  return (
    <form className="condition" onSubmit={apply}>
      <label htmlFor={id}>{label}</label>
      <input
        ref={input}
        id={id}
        value={typed}
        placeholder={hint}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={items.length > 0 ? `${id}-list` : undefined}
        aria-activedescendant={shown >= 0 ? `${id}-${shown}` : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onChange={(event) => {
          setTyped(event.target.value);
          follow(event);
          setIsOpen(true);
          setActive(-1);
        }}
        onSelect={follow}
        onKeyDown={onKeyDown}
        onClick={() => setIsOpen(true)}
        onBlur={close}
      />
      <SuggestionList id={id} items={items} active={shown} onChoose={accept} />
      <span className="unseen" role="status">
        {isOpen && items.length > 0 && t`${items.length} [suggestion|suggestions]; arrow keys choose`}
      </span>
      <p id={`${id}-problem`} className="problem" role="alert">
        {problem !== undefined && <span lang="en">{problem}</span>}
      </p>
    </form>
  );
}

/** The typed text is replaced when the value in the URL changes, for example by the back button. */
function useTyped(value: string): readonly [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  return [typed, setTyped];
}
