import type { ReactNode } from 'react';
import { useEvents } from '../../api/events.js';
import { Age } from '../../parts/age.js';
import { Badge } from '../../parts/badge.js';
import { Message } from '../../parts/long-text.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';

const SHOWN = 8;

/** The latest events of all objects. */
export function Events(): ReactNode {
  const { data, error } = useEvents(SHOWN);
  return (
    <Section title={t`Latest events`}>
      {data === undefined && <Pending error={error} />}
      {data?.length === 0 && <p className="faint">{t`No events in the last hour.`}</p>}
      <ul className="lines">
        {data?.map(({ metadata, involvedObject, type, reason, message, lastTimestamp }) => (
          <li key={metadata.name}>
            <Badge word={type} /> <strong>{reason}</strong> {involvedObject.kind} {involvedObject.name}{' '}
            <Age time={lastTimestamp} />
            <div className="faint">
              <Message>{message}</Message>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
