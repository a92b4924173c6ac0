import type { ReactNode } from 'react';
import { text } from '../../texts.js';

/** The finalizers of a deleted object, and their owners. */
export function Finalizers({ names }: { readonly names: readonly string[] }): ReactNode {
  const known: Readonly<Record<string, string>> = text.deletion.finalizers;
  return (
    <ul className="plain">
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>{' '}
          <span>{Object.hasOwn(known, name) ? known[name] : text.deletion.ofController}</span>
        </li>
      ))}
    </ul>
  );
}
