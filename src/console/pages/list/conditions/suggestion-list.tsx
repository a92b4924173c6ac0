import { useEffect, useRef, type ReactNode } from 'react';
import { t } from '../../../texts.js';
import type { Suggestion } from './use-suggestions.js';

interface SuggestionListProps {
  /** The id of the field; the ids of the list and its items begin with it. */
  readonly id: string;
  readonly items: readonly Suggestion[];
  /** The item that Enter selects; -1: none. */
  readonly active: number;
  readonly onChoose: (index: number) => void;
}

/** Suggestions below a field that keeps the focus. */
export function SuggestionList({ id, items, active, onChoose }: SuggestionListProps): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  if (items.length === 0) return null;
  return (
    <ul
      ref={list}
      id={`${id}-list`}
      className="popover menu suggestions"
      role="listbox"
      aria-label={t`Suggestions`}
      // Otherwise the field would lose the focus, and close the list, before the click arrives.
      onMouseDown={(event) => event.preventDefault()}
    >
      {items.map(({ insert, note }, i) => (
        <li
          key={insert}
          id={`${id}-${i}`}
          role="option"
          className="line spread"
          aria-selected={i === active}
          data-focused={i === active || undefined}
          onClick={() => onChoose(i)}
        >
          <code>{insert.trim()}</code>
          <span className="faint">{note}</span>
        </li>
      ))}
    </ul>
  );
}
