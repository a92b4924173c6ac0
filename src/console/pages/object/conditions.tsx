import type { ReactNode } from 'react';
import { textAt, type JsonObject } from '../../lib/json.js';
import { Age } from '../../parts/age.js';
import { Badge } from '../../parts/badge.js';
import { Message } from '../../parts/long-text.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { text } from '../../texts.js';

/** The conditions that controllers report for an object, in the form of Kubernetes. */
export function Conditions({ conditions }: { readonly conditions: readonly JsonObject[] }): ReactNode {
  const { condition } = text.object;
  return (
    <SimpleTable
      label={text.object.conditions}
      head={[condition.type, condition.status, condition.reason, condition.message, condition.since]}
      rows={conditions.map((one, i) => ({
        key: String(i),
        cells: [
          textAt(one, 'type'),
          <Badge key="status" word={textAt(one, 'status') ?? text.none} />,
          textAt(one, 'reason'),
          <Message key="message">{textAt(one, 'message') ?? ''}</Message>,
          <Age key="since" time={textAt(one, 'lastTransitionTime')} />,
        ],
      }))}
    />
  );
}
