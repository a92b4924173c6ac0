import type { ReactNode } from 'react';
import type { Model, ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { isWebhooks } from '../../api/platform/webhooks.js';
import { useReferenceTargets, type ReferenceTargets } from '../../api/reference-targets.js';
import { isObject, type JsonObject } from '../../lib/json.js';
import { Age } from '../../parts/age.js';
import { Facts } from '../../parts/facts.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { LinkedText } from '../../parts/linked-text.js';
import { Folded } from '../../parts/long-text.js';
import { Section } from '../../parts/section.js';
import { Tree } from '../../parts/tree.js';
import { t } from '../../texts.js';
import { Conditions } from './conditions.js';
import { ObjectControllers } from './object-controllers.js';
import { ObjectEvents } from './object-events.js';

const Deliveries = lazyPart(() => import('../webhooks/deliveries.js'));

interface SummaryProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly object: StoredObject;
}

/** The content of an object, its events, and its metadata. */
export function Summary({ modelRef, model, object }: SummaryProps): ReactNode {
  const targets = useReferenceTargets(model);
  const { status, ...rest } = object;
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...content } = rest;
  return (
    <div className="columns">
      <div className="stack">
        <Section title={t`Content`}>
          <Tree value={content} path="" targets={targets} />
        </Section>
        <Status status={status} targets={targets} />
        {isWebhooks(modelRef) && <Deliveries object={object} />}
        <Section title={t`Events`}>
          <ObjectEvents uid={metadata.uid} />
        </Section>
      </div>
      <div className="stack">
        <MetadataCard object={object} />
        <ObjectControllers modelRef={modelRef} name={metadata.name} />
      </div>
    </div>
  );
}

interface StatusProps {
  readonly status: unknown;
  readonly targets: ReferenceTargets;
}

function Status({ status, targets }: StatusProps): ReactNode {
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
        {Object.keys(rest).length > 0 && <Tree value={rest} path="status" targets={targets} />}
        {Array.isArray(conditions) && <Conditions conditions={conditions.filter(isObject)} />}
      </div>
    </Section>
  );
}

function MetadataCard({ object: { metadata } }: { readonly object: StoredObject }): ReactNode {
  return (
    <Section title={t`Metadata`}>
      <Facts
        facts={[
          [t`Created`, <Age key="age" time={metadata.creationTimestamp} isPhrase />],
          [t`Updated`, <Age key="updated" time={metadata.updateTimestamp} isPhrase />],
          [t`UID`, metadata.uid],
          [t`Generation`, metadata.generation],
          [t`Version`, metadata.version],
          [t`Revision`, metadata.resourceVersion],
          [t`Labels`, <Pairs key="labels" pairs={metadata.labels} />],
          [t`Annotations`, <Annotations key="annotations" pairs={metadata.annotations} />],
          [t`Finalizers`, metadata.finalizers?.join(', ') ?? '–'],
        ]}
      />
    </Section>
  );
}

/** The manifests that clients have applied: each is a copy of the object. */
const APPLIED = /\/last-applied(-configuration)?$/;

/** Annotations; copies of the object are folded. */
function Annotations({ pairs }: { readonly pairs: JsonObject | undefined }): ReactNode {
  const entries = Object.entries(pairs ?? {});
  const applied = entries.filter(([key]) => APPLIED.test(key));
  if (applied.length === 0) return <Pairs pairs={pairs} />;
  const rest = entries.filter(([key]) => !APPLIED.test(key));
  return (
    <>
      {rest.length > 0 && <Pairs pairs={Object.fromEntries(rest)} />}
      {applied.map(([key, value]) => (
        <Folded key={key} summary={key}>
          <code>{String(value)}</code>
        </Folded>
      ))}
    </>
  );
}

function Pairs({ pairs }: { readonly pairs: JsonObject | undefined }): ReactNode {
  const entries = Object.entries(pairs ?? {});
  if (entries.length === 0) return '–';
  return (
    <ul>
      {entries.map(([key, value]) => (
        <li key={key}>
          <code>
            {key}=<LinkedText value={String(value)} />
          </code>
        </li>
      ))}
    </ul>
  );
}
