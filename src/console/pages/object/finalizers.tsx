import type { ReactNode } from 'react';
import { t } from '../../texts.js';

const KNOWN: ReadonlyMap<string, () => string> = new Map([
  ['foregroundDeletion', () => t`It waits until the objects that it owns are deleted.`],
  ['orphan', () => t`It waits until the objects that it owns are released.`],
  [
    'xsvc.platform.run/cascade',
    () => t`The objects that refer to it are being deleted, or lose the reference.`,
  ],
]);

/** The finalizers of a deleted object, and their owners. */
export function Finalizers({ names }: { readonly names: readonly string[] }): ReactNode {
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>{' '}
          <span>{KNOWN.get(name)?.() ?? t`Its controller removes it after cleaning up.`}</span>
        </li>
      ))}
    </ul>
  );
}
