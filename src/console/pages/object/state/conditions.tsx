import type { ReactNode } from 'react';
import { textAt, type JsonObject } from '../../../lib/json.js';
import { Age } from '../../../parts/age.js';
import { Badge, type Tone } from '../../../parts/badge.js';
import { Message } from '../../../parts/long-text.js';
import { SimpleTable } from '../../../parts/simple-table.js';
import { t } from '../../../texts.js';

/** The conditions that controllers report for an object, in the form of Kubernetes. */
export function Conditions({ conditions }: { readonly conditions: readonly JsonObject[] }): ReactNode {
  return (
    <SimpleTable
      label={t`Conditions`}
      rows={conditions}
      getKey={(_, i) => i}
      columns={[
        [t`Type`, (one) => textAt(one, 'type')],
        [t`Status`, (one) => <Badge word={textAt(one, 'status') ?? '–'} tone={toneOf(one)} />],
        [t`Reason`, (one) => textAt(one, 'reason')],
        [t`Message`, (one) => <Message>{textAt(one, 'message') ?? ''}</Message>],
        [t`Since`, (one) => <Age time={textAt(one, 'lastTransitionTime')} />],
      ]}
    />
  );
}

/** Types that state a problem or running work: they are well when they are false. */
const WELL_IF_FALSE =
  /(Progressing|Reconciling|Updating|Degraded|Failed|Failing|Failure|Error|Stalled|Blocked|Pressure|Unavailable|Expired|Deleting|Terminating)$/;

/** Undefined for the tone of the word itself. */
function toneOf(condition: JsonObject): Tone | undefined {
  if (!WELL_IF_FALSE.test(textAt(condition, 'type') ?? '')) return undefined;
  const status = textAt(condition, 'status');
  if (status === 'False') return 'plain';
  return status === 'True' ? 'attention' : undefined;
}
