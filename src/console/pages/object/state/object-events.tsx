import type { ReactNode } from 'react';
import { countOf, lastSeen, useEventModel, useEvents } from '../../../api/events.js';
import type { ModelRef } from '../../../api/models.js';
import { useMayDo } from '../../../api/platform/rights.js';
import { formatCount } from '../../../lib/format.js';
import { Age } from '../../../parts/age.js';
import { Badge } from '../../../parts/badge.js';
import { Message } from '../../../parts/long-text.js';
import { Pending } from '../../../parts/notice.js';
import { Section } from '../../../parts/section.js';
import { SimpleTable } from '../../../parts/simple-table.js';
import { t } from '../../../texts.js';

const SHOWN = 20;

export function ObjectEvents({ uid = '' }: { readonly uid: string | undefined }): ReactNode {
  const model = useEventModel();
  const mayDo = useMayDo();
  return (
    <Section title={t`Events`}>
      {model === undefined ? (
        <Pending error={undefined} />
      ) : mayDo('list', model) ? (
        <EventTable model={model} uid={uid} />
      ) : (
        <p className="faint">{t`You may not read events.`}</p>
      )}
    </Section>
  );
}

function EventTable({ model, uid }: { readonly model: ModelRef; readonly uid: string }): ReactNode {
  const { data, error } = useEvents(model, SHOWN, uid);
  if (data === undefined) return <Pending error={error} />;
  if (data.length === 0) return <p className="faint">{t`No events in the last hour.`}</p>;
  return (
    <SimpleTable
      label={t`Table: ${t`Events`}`}
      rows={data}
      getKey={({ metadata }) => metadata.uid ?? metadata.name}
      columns={[
        [t`Reason`, ({ reason }) => reason],
        [t`Type`, ({ type }) => <Badge word={type} />],
        [t`Message`, ({ message }) => <Message>{message}</Message>],
        [t`Count`, (event) => formatCount(countOf(event))],
        [t`Last`, (event) => <Age time={lastSeen(event)} />],
      ]}
    />
  );
}
