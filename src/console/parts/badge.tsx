import type { ReactNode } from 'react';
import { t } from '../texts.js';

export type Tone = 'good' | 'attention' | 'bad' | 'plain';

/** The states of plugins, controllers, their objects, events and conditions, by their names in the API. */
const TONES: Readonly<Record<string, Tone>> = {
  STARTED: 'good',
  RESOLVED: 'attention',
  PENDING: 'attention',
  FAILED: 'bad',
  DISABLED: 'plain',
  MISSING: 'plain',
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
  enabled: 'good',
  disabled: 'plain',
  Normal: 'plain',
  Unknown: 'plain',
  True: 'good',
  False: 'attention',
  Warning: 'attention',
};

interface BadgeProps {
  readonly word: string;
  /** Default: that of the word. */
  readonly tone?: Tone | undefined;
}

/** One word for a state, in its colour. Words of the service are translated; the tooltip has the original. */
export function Badge({ word, tone }: BadgeProps): ReactNode {
  const usual = Object.hasOwn(TONES, word) ? TONES[word] : undefined;
  return (
    <span className={`badge badge-${tone ?? usual ?? 'plain'}`} title={word}>
      {usual === undefined ? word : t(word)}
    </span>
  );
}
