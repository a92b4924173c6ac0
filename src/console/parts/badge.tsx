import type { ReactNode } from 'react';
import { t } from '../texts.js';

type Tone = 'good' | 'attention' | 'bad' | 'plain';

/** The states of plugins, controllers, their objects, events and conditions, by their names in the API. */
const TONES: Readonly<Record<string, Tone>> = {
  STARTED: 'good',
  RESOLVED: 'attention',
  PENDING: 'attention',
  FAILED: 'bad',
  DISABLED: 'plain',
  starting: 'attention',
  stopping: 'attention',
  stopped: 'attention',
  running: 'good',
  syncing: 'attention',
  recovering: 'bad',
  standby: 'plain',
  waiting: 'plain',
  delayed: 'plain',
  working: 'plain',
  Normal: 'plain',
  Unknown: 'plain',
  True: 'good',
  False: 'attention',
  Warning: 'attention',
};

/** One word for a state, in its colour. Words of the service are translated; the tooltip has the original. */
export function Badge({ word }: { readonly word: string }): ReactNode {
  const tone = Object.hasOwn(TONES, word) ? TONES[word] : undefined;
  return (
    <span className={`badge badge-${tone ?? 'plain'}`} title={word}>
      {tone === undefined ? word : t(word)}
    </span>
  );
}
