import type { ReactNode } from 'react';
import { countOf, lastSeen, useEventModel, useEvents } from '../../../api/events.js';
import type { ModelRef } from '../../../api/models.js';
import type { StoredObject } from '../../../api/objects.js';
import { useMayDo } from '../../../api/platform/rights.js';
import { isWebhooks } from '../../../api/platform/webhooks.js';
import type { ReferenceTargets } from '../../../api/reference-targets.js';
import { formatCount } from '../../../lib/format.js';
import { isObject, textAt, type JsonObject } from '../../../lib/json.js';
import { Age } from '../../../parts/age.js';
import { Badge, type Tone } from '../../../parts/badge.js';
import { lazyPart } from '../../../parts/lazy-part.js';
import { Message } from '../../../parts/long-text.js';
import { Pending } from '../../../parts/notice.js';
import { Section } from '../../../parts/section.js';
import { SimpleTable } from '../../../parts/simple-table.js';
import { Tree } from '../../../parts/tree.js';
import { t } from '../../../texts.js';
import { useRecord } from '../record.js';
import { Details } from './details.js';
import { ObjectControllers } from './object-controllers.js';

const Deliveries = lazyPart(() => import('../../webhooks/deliveries.js'));
const NO_TARGETS: ReferenceTargets = new Map();

interface StatusProps {
  readonly object: StoredObject;
}

/** The state of an object as the service and controllers report it. */
export function StatusView({ object }: StatusProps): ReactNode {
  return (
    <div className="columns">
      <div className="stack">
        <Status status={object.status} />
        <DeliveriesOf object={object} />
        <ObjectEvents uid={object.metadata.uid} />
      </div>
      <div className="stack">
        <ObjectControllers />
        <Section title={t`Details`}>
          <Details metadata={object.metadata} />
        </Section>
      </div>
    </div>
  );
}

/** The same beside a form: details are folded. */
export function StatusBeside({ object }: StatusProps): ReactNode {
  return (
    <div className="record-beside stack">
      {isObject(object.status) && <Status status={object.status} />}
      <DeliveriesOf object={object} />
      <ObjectControllers />
      <ObjectEvents uid={object.metadata.uid} />
      <details className="card">
        <summary>{t`Details`}</summary>
        <Details metadata={object.metadata} />
      </details>
    </div>
  );
}

function DeliveriesOf({ object }: StatusProps): ReactNode {
  return isWebhooks(useRecord().modelRef) && <Deliveries object={object} />;
}

function Status({ status }: { readonly status: unknown }): ReactNode {
  const { conditions, ...rest } = isObject(status) ? status : {};
  return (
    <Section title={t`Status`}>
      {!isObject(status) && <p className="faint">{t`No status reported.`}</p>}
      <div className="stack">
        {Object.keys(rest).length > 0 && <Tree value={rest} path="status" targets={NO_TARGETS} />}
        {Array.isArray(conditions) && <Conditions conditions={conditions.filter(isObject)} />}
      </div>
    </Section>
  );
}

/** The conditions that controllers report for an object, in the form of Kubernetes. */
function Conditions({ conditions }: { readonly conditions: readonly JsonObject[] }): ReactNode {
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

const SHOWN = 20;

function ObjectEvents({ uid = '' }: { readonly uid: string | undefined }): ReactNode {
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
