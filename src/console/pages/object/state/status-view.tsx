import type { ReactNode } from 'react';
import type { ModelRef } from '../../../api/models.js';
import type { StoredObject } from '../../../api/objects.js';
import { isWebhooks } from '../../../api/platform/webhooks.js';
import type { ReferenceTargets } from '../../../api/reference-targets.js';
import { isObject } from '../../../lib/json.js';
import { lazyPart } from '../../../parts/lazy-part.js';
import { Section } from '../../../parts/section.js';
import { Tree } from '../../../parts/tree.js';
import { t } from '../../../texts.js';
import { Conditions } from './conditions.js';
import { Details } from './details.js';
import { ObjectControllers } from './object-controllers.js';
import { ObjectEvents } from './object-events.js';

const Deliveries = lazyPart(() => import('../../webhooks/deliveries.js'));
const NO_TARGETS: ReferenceTargets = new Map();

interface StatusProps {
  readonly modelRef: ModelRef;
  readonly object: StoredObject;
}

/** The state of an object as the service and controllers report it. */
export function StatusView({ modelRef, object }: StatusProps): ReactNode {
  return (
    <div className="columns">
      <div className="stack">
        <Status status={object.status} />
        {isWebhooks(modelRef) && <Deliveries object={object} />}
        <Events object={object} />
      </div>
      <div className="stack">
        <ObjectControllers modelRef={modelRef} name={object.metadata.name} />
        <Section title={t`Details`}>
          <Details metadata={object.metadata} />
        </Section>
      </div>
    </div>
  );
}

/** The same beside a form: details are folded. */
export function StatusBeside({ modelRef, object }: StatusProps): ReactNode {
  return (
    <div className="record-beside stack">
      {isObject(object.status) && <Status status={object.status} />}
      {isWebhooks(modelRef) && <Deliveries object={object} />}
      <ObjectControllers modelRef={modelRef} name={object.metadata.name} />
      <Events object={object} />
      <details className="card">
        <summary>{t`Details`}</summary>
        <Details metadata={object.metadata} />
      </details>
    </div>
  );
}

function Events({ object }: Pick<StatusProps, 'object'>): ReactNode {
  return (
    <Section title={t`Events`}>
      <ObjectEvents uid={object.metadata.uid} />
    </Section>
  );
}

function Status({ status }: { readonly status: unknown }): ReactNode {
  if (!isObject(status))
    return (
      <Section title={t`Status`}>
        <p className="faint">{t`No status reported.`}</p>
      </Section>
    );
  const { conditions, ...rest } = status;
  return (
    <Section title={t`Status`}>
      <div className="stack">
        {Object.keys(rest).length > 0 && <Tree value={rest} path="status" targets={NO_TARGETS} />}
        {Array.isArray(conditions) && <Conditions conditions={conditions.filter(isObject)} />}
      </div>
    </Section>
  );
}
