import type { ReactNode } from 'react';
import type { Leader } from '../api/platform/controllers.js';
import { text } from '../texts.js';

/** The process that runs controllers and upkeep: its host and number; the rest is in the tooltip. */
export function LeaderName({ leader: { holder, isSelf } }: { readonly leader: Leader }): ReactNode {
  if (holder === '') return text.overview.noLeader;
  const [host = '', process] = holder.split('/');
  const name = process === undefined ? host : `${host}/${process}`;
  return <span title={holder}>{isSelf ? `${name} (${text.overview.self})` : name}</span>;
}
