import type { ReactNode } from 'react';

const GOOD =
  /^(published|ready|active|enabled|approved|paid|done|completed?|succeeded|success|running|started|online|healthy|available|bound|ok)$/i;
const BAD =
  /^(failed|failure|error|rejected|cancell?ed|blocked|broken|crashed|unhealthy|lost|expired|overdue|critical|deleted)$/i;
const PLAIN = /^(archived|disabled|inactive|closed|none|unknown|stopped|off)$/i;

/** The number of hues in the style sheet. */
const HUES = 6;

/** A value of few, in its colour: by its meaning, if the word says it, or a hue that is the same everywhere. */
export function ValueBadge({ value }: { readonly value: string }): ReactNode {
  return <span className={`value-badge value-badge-${getTone(value)}`}>{value}</span>;
}

export function getTone(value: string): string {
  if (GOOD.test(value)) return 'good';
  if (BAD.test(value)) return 'bad';
  return PLAIN.test(value) ? 'plain' : `hue-${getHue(value)}`;
}

/** A number from the text (FNV-1a). */
function getHue(value: string): number {
  let hash = 2_166_136_261;
  for (let i = 0; i < value.length; i++) hash = Math.imul(hash ^ value.charCodeAt(i), 16_777_619);
  return (hash >>> 0) % HUES;
}
