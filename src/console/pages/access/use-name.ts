import { useState } from 'react';

/**
 * One of the names that there are: the first one, until somebody chooses another. When it is gone, none is chosen: what
 * others do never chooses for somebody. @returns empty as long as none is chosen
 */
export function useName(names: readonly string[]): readonly [name: string, choose: (name: string) => void] {
  const [chosen, choose] = useState<string>();
  if (chosen === undefined && names[0] !== undefined) choose(names[0]);
  if (chosen !== undefined && chosen !== '' && !names.includes(chosen)) choose('');
  return [chosen ?? '', choose];
}
