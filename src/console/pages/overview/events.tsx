import type { ReactNode } from 'react';
import { lastSeen, useEvents } from '../../api/events.js';
import type { ModelRef } from '../../api/models.js';
import { Age } from '../../parts/age.js';
import { Badge } from '../../parts/badge.js';
import { Message } from '../../parts/long-text.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';

const SHOWN = 8;

/** The latest events of all objects. */
export function Events({ model }: { readonly model: ModelRef }): ReactNode {
  const { data, error } = useEvents(model, SHOWN);
  return (
    <Section title={t`Latest events`}>
      {data === undefined && <Pending error={error} />}
      {data?.length === 0 && <p className="faint">{t`No events in the last hour.`}</p>}
      <ul className="lines">
        {data?.map((event) => (
          <li key={event.metadata.uid}>
            <Badge word={event.type} /> <strong>{event.reason}</strong> {event.involvedObject.kind}{' '}
            {event.involvedObject.name} <Age time={lastSeen(event)} />
            <div className="faint">
              <Message>{event.message}</Message>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
