import { useMemo } from 'react';
import { useEvent } from '../lib/use-event.js';

/** A part of time, which the URL of a log may name. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The time before and after a moment that {@link periodAround} includes. */
const AROUND_MS = 30_000;

export function periodAround(timeMs: number): Period {
  return { fromMs: timeMs - AROUND_MS, toMs: timeMs + AROUND_MS };
}

/** The period in the part of a URL after `#`; undefined unless it has both ends. */
export function parsePeriod(hash: string): Period | undefined {
  const [, search] = hash.split('?');
  const parameters = new URLSearchParams(search);
  const fromMs = Date.parse(parameters.get('from') ?? '');
  const toMs = Date.parse(parameters.get('to') ?? '');
  return fromMs <= toMs ? { fromMs, toMs } : undefined;
}

/** Adds a period to the URL of a page with a log. */
export function withPeriod(url: string, { fromMs, toMs }: Period): string {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  return `${url}?from=${from}&to=${to}`;
}

export function usePeriod(): Period | undefined {
  const hash = useEvent(window, 'hashchange', () => location.hash);
  return useMemo(() => parsePeriod(hash), [hash]);
}
