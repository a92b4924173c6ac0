import { parseDuration } from './duration.js';
import { parseInstant } from './instant.js';

/**
 * Parses the start of a period: an RFC 3339 time, or an age like `1h`; undefined for another text.
 * @param nowMs milliseconds since 1970
 */
export function parseSince(text: string, nowMs: number): number | undefined {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant.seconds * 1_000 + instant.nanos / 1e6;
  try {
    return nowMs - parseDuration(text);
  } catch {
    return undefined;
  }
}
