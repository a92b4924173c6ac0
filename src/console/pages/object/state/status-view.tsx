import type { ReactNode } from 'react';
import type { StoredObject } from '../../../api/objects.js';
import { isWebhooks } from '../../../api/platform/webhooks.js';
import type { ReferenceTargets } from '../../../api/reference-targets.js';
import { isObject } from '../../../lib/json.js';
import { lazyPart } from '../../../parts/lazy-part.js';
import { Section } from '../../../parts/section.js';
import { Tree } from '../../../parts/tree.js';
import { t } from '../../../texts.js';
import { useRecord } from '../record.js';
import { Conditions } from './conditions.js';
import { Details } from './details.js';
import { ObjectControllers } from './object-controllers.js';
import { ObjectEvents } from './object-events.js';

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
