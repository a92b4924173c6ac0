import { createContext, lazy, use, type ComponentType, type ReactNode } from 'react';

/** The number of the attempt to render a part of the page: a failed load is repeated in the next. */
export const Attempt = createContext(0);

interface Made<P> {
  readonly attempt: number;
  readonly Part: ComponentType<P>;
  hasFailed: boolean;
}

/** A part of the page that is loaded at its first use. Unlike React's own function, it can be loaded again after a failure. */
export function lazyPart<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): (props: P) => ReactNode {
  let made: Made<P> | undefined;
  const make = (attempt: number): Made<P> => {
    const one: Made<P> = {
      attempt,
      hasFailed: false,
      Part: lazy(() =>
        load().catch((error: unknown) => {
          one.hasFailed = true;
          throw error;
        }),
      ),
    };
    return one;
  };
  return function LazyPart(props) {
    const attempt = use(Attempt);
    if (made === undefined || (made.hasFailed && made.attempt !== attempt)) made = make(attempt);
    return <made.Part {...props} />;
  };
}
