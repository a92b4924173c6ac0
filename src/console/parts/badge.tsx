import type { ReactNode } from 'react';
import { getMember } from '../lib/json.js';
import { text } from '../texts.js';

type Tone = 'good' | 'attention' | 'bad' | 'plain';

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
  True: 'good',
  False: 'attention',
  Warning: 'attention',
};

/** One word for a state, in its colour. Words of the service are translated; the tooltip has the original. */
export function Badge({ word }: { readonly word: string }): ReactNode {
  const said = getMember(text.states, word);
  const tone = getMember(TONES, word);
  return (
    <span className={`badge badge-${typeof tone === 'string' ? tone : 'plain'}`} title={word}>
      {typeof said === 'string' ? said : word}
    </span>
  );
}
