import { useEffect, useRef, useState } from 'react';
import type { Metadata } from '../../api/objects.js';

/** Classes of a changed row. They look the same; a change from one to the other restarts the animation. */
type FreshClass = 'fresh' | 'fresh-again';

interface Fresh {
  readonly findClass: (name: string) => FreshClass | undefined;
  /** Called when the animation of a row has ended. */
  readonly settle: (name: string) => void;
}

/** The rows that have changed since they were first displayed, until their animation ends. */
export function useFresh(shown: readonly Metadata[]): Fresh {
  const known = useRef<ReadonlyMap<string, string>>(new Map());
  const [fresh, setFresh] = useState<ReadonlyMap<string, FreshClass>>(new Map());
  const state = shown.map(({ name, resourceVersion }) => `${name} ${resourceVersion}`).join('\n');
  useEffect(() => {
    const before = known.current;
    const now = new Map(state.split('\n').map((line) => line.split(' ') as [string, string]));
    known.current = now;
    const isChanged = (name: string): boolean => before.has(name) && before.get(name) !== now.get(name);
    setFresh((marked) => {
      const kept = [...marked].filter(([name]) => now.has(name));
      const changed = [...now.keys()]
        .filter(isChanged)
        .map((name) => [name, getNextClass(marked.get(name))] as const);
      return new Map([...kept, ...changed]);
    });
  }, [state]);
  return {
    findClass: (name) => fresh.get(name),
    settle: (name) => setFresh((marked) => new Map([...marked].filter(([one]) => one !== name))),
  };
}

function getNextClass(mark: FreshClass | undefined): FreshClass {
  return mark === 'fresh' ? 'fresh-again' : 'fresh';
}
