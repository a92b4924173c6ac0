import type { ReactNode } from 'react';

interface SearchProps {
  readonly label: string;
  readonly typed: string;
  readonly onType: (typed: string) => void;
}

/** A field that limits the rows below it. */
export function Search({ label, typed, onType }: SearchProps): ReactNode {
  return (
    <input
      type="search"
      className="access-search"
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      spellCheck={false}
      value={typed}
      onChange={({ target }) => onType(target.value)}
    />
  );
}
