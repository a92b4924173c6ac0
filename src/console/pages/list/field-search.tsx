import { useState, type ReactNode } from 'react';
import { t } from '../../texts.js';

interface FieldSearch {
  /** The input. */
  readonly search: ReactNode;
  /** True when the name or the title of a field contains the typed text. */
  readonly isMeant: (field: { readonly id: string; readonly title: string }) => boolean;
}

/** A search among the fields of a model. */
export function useFieldSearch(): FieldSearch {
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  return {
    isMeant: ({ id, title }) => `${title} ${id}`.toLowerCase().includes(wanted),
    search: (
      <input
        type="search"
        autoFocus
        aria-label={t`Find a field`}
        placeholder={t`Find a field`}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    ),
  };
}
