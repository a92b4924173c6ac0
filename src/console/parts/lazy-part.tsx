import { createContext, lazy, use, type ComponentType, type ReactNode } from 'react';

/** Which attempt to show a part of the page this is: whatever failed in one is loaded again in the next. */
export const Attempt = createContext(0);

interface Made<P> {
  readonly attempt: number;
  readonly Part: ComponentType<P>;
  hasFailed: boolean;
}

/** A part of the page that is loaded when it is shown first. Other than React's own, it may fail and be loaded later. */
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
