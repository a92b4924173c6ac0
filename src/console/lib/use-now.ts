import { useEffect, useState } from 'react';

const TICK_MS = 5_000;

/** The time, so that ages on the page grow. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
