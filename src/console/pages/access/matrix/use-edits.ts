import { useState } from 'react';
import { session } from '../../../session/session.js';
import { NO_EDITS, type Edits } from './edits.js';

/** By role. They remain when another page is opened, but not for another user. */
const kept = new Map<string, Edits>();

export function useEdits(role: string): readonly [edits: Edits, change: (edits: Edits) => void] {
  const key = `${session.get().number} ${role}`;
  const [edits, setEdits] = useState(kept.get(key) ?? NO_EDITS);
  const change = (next: Edits): void => {
    if (next.size === 0) kept.delete(key);
    else kept.set(key, next);
    setEdits(next);
  };
  return [edits, change];
}
