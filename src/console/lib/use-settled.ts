import { useEffect, useState } from 'react';

const PAUSE_MS = 150;

/** The input after a pause without typing. */
export function useSettled(typed: string, pauseMs = PAUSE_MS): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, pauseMs]);
  return settled;
}
