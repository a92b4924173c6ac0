import type { ReactNode } from 'react';
import type { Leader } from '../api/platform/controllers.js';
import { t } from '../texts.js';

/** The process that runs controllers and upkeep: its host and number; the rest is in the tooltip. */
export function LeaderName({ leader: { holder, isSelf } }: { readonly leader: Leader }): ReactNode {
  if (holder === '') return t`none at the moment`;
  const [host = '', process] = holder.split('/');
  const name = process === undefined ? host : `${host}/${process}`;
  return <span title={holder}>{isSelf ? `${name} (${t`this process`})` : name}</span>;
}
