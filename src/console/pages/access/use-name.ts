import { useState } from 'react';

/**
 * A selection from names: the first one, or none, until the user chooses another. When it is deleted, none is selected, so that changes of
 * others never select for the user. @returns empty when none is selected
 */
export function useName(
  names: readonly string[],
  hasFirst = true,
): readonly [name: string, choose: (name: string) => void] {
  const [chosen, choose] = useState<string>();
  if (hasFirst && chosen === undefined && names[0] !== undefined) choose(names[0]);
  if (chosen !== undefined && chosen !== '' && !names.includes(chosen)) choose('');
  return [chosen ?? '', choose];
}
