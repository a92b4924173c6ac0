import type { ReactNode } from 'react';
import { useEvents } from '../../api/events.js';
import { formatCount } from '../../lib/format.js';
import { Age } from '../../parts/age.js';
import { Badge } from '../../parts/badge.js';
import { Message } from '../../parts/long-text.js';
import { Pending } from '../../parts/notice.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { text } from '../../texts.js';

const SHOWN = 20;

/** The events of an object. */
export function ObjectEvents({ uid }: { readonly uid: string | undefined }): ReactNode {
  const { data, error } = useEvents(SHOWN, uid ?? '');
  const { event } = text.object;
  if (data === undefined) return <Pending error={error} />;
  if (data.length === 0) return <p className="faint">{text.object.noEvents}</p>;
  return (
    <SimpleTable
      label={text.object.events}
      head={[event.reason, event.type, event.message, event.count, event.last]}
      rows={data.map(({ metadata, reason, type, message, count, lastTimestamp }) => ({
        key: metadata.name,
        cells: [
          reason,
          <Badge key="type" word={type} />,
          <Message key="message">{message}</Message>,
          formatCount(count),
          <Age key="last" time={lastTimestamp} />,
        ],
      }))}
    />
  );
}
