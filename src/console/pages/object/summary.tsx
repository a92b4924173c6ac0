import type { ReactNode } from 'react';
import type { ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { isObject, type JsonObject } from '../../lib/json.js';
import { Age } from '../../parts/age.js';
import { Facts } from '../../parts/facts.js';
import { LongText } from '../../parts/long-text.js';
import { Section } from '../../parts/section.js';
import { Tree } from '../../parts/tree.js';
import { text } from '../../texts.js';
import { Conditions } from './conditions.js';
import { ObjectControllers } from './object-controllers.js';
import { ObjectEvents } from './object-events.js';

interface SummaryProps {
  readonly modelRef: ModelRef;
  readonly object: StoredObject;
}

/** The content of an object, its events, and its metadata. */
export function Summary({ modelRef, object }: SummaryProps): ReactNode {
  const { status, ...rest } = object;
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...content } = rest;
  return (
    <div className="columns">
      <div className="stack">
        <Section title={text.object.content}>
          <Tree value={content} />
        </Section>
        <Status status={status} />
        <Section title={text.object.events}>
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

function Status({ status }: { readonly status: unknown }): ReactNode {
  if (!isObject(status))
    return (
      <Section title={text.object.status}>
        <p className="faint">{text.object.noStatus}</p>
      </Section>
    );
  const { conditions, ...rest } = status;
  return (
    <Section title={text.object.status}>
      {Object.keys(rest).length > 0 && <Tree value={rest} />}
      {Array.isArray(conditions) && <Conditions conditions={conditions.filter(isObject)} />}
    </Section>
  );
}

function MetadataCard({ object: { metadata } }: { readonly object: StoredObject }): ReactNode {
  const { object } = text;
  return (
    <Section title={object.metadata}>
      <Facts
        facts={[
          [object.created, <Age key="age" time={metadata.creationTimestamp} />],
          [object.uid, metadata.uid],
          [object.generation, metadata.generation],
          [object.version, metadata.version],
          [object.revision, metadata.resourceVersion],
          [object.labels, <Pairs key="labels" pairs={metadata.labels} />],
          [object.annotations, <Pairs key="annotations" pairs={metadata.annotations} />],
          [object.finalizers, metadata.finalizers?.join(', ') ?? text.none],
        ]}
      />
    </Section>
  );
}

function Pairs({ pairs }: { readonly pairs: JsonObject | undefined }): ReactNode {
  const entries = Object.entries(pairs ?? {});
  if (entries.length === 0) return text.none;
  return (
    <ul className="plain">
      {entries.map(([key, value]) => (
        <li key={key}>
          <code>
            {key}=<LongText value={String(value)} />
          </code>
        </li>
      ))}
    </ul>
  );
}
