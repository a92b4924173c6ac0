import { useEffect, useState } from 'react';

const TICK_MS = 5_000;

/** The current time, updated so that displayed ages grow. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
