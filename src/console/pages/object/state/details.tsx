import type { ReactNode } from 'react';
import type { Metadata } from '../../../api/objects.js';
import { readFieldManagers, type FieldManagerEntry } from '../../../../client/programs/field-managers.js';
import { formatCount } from '../../../lib/format.js';
import { Age } from '../../../parts/age.js';
import { CopyButton } from '../../../parts/copy-button.js';
import { Facts } from '../../../parts/facts.js';
import { LinkedText } from '../../../parts/linked-text.js';
import { Folded } from '../../../parts/long-text.js';
import { t } from '../../../texts.js';

export function Details({ metadata }: { readonly metadata: Metadata }): ReactNode {
  const { uid } = metadata;
  const managers = readFieldManagers(metadata.managedFields);
  return (
    <Facts
      facts={[
        [t`Created`, <Age key="age" time={metadata.creationTimestamp} isPhrase />],
        [t`Updated`, <Age key="updated" time={metadata.updateTimestamp} isPhrase />],
        [
          t`UID`,
          uid === undefined ? undefined : (
            <span key="uid">
              <code>{uid}</code> <CopyButton text={uid} label={t`Copy UID`} />
            </span>
          ),
        ],
        [t`Generation`, metadata.generation],
        [t`Version`, metadata.version],
        [t`Revision`, metadata.resourceVersion],
        [t`Labels`, <Pairs key="labels" pairs={metadata.labels} />],
        [t`Annotations`, <Pairs key="annotations" pairs={metadata.annotations} />],
        [t`Finalizers`, metadata.finalizers?.join(', ') ?? '–'],
        [
          t`Field managers`,
          managers.length > 0 ? <Managers key="managers" managers={managers} /> : undefined,
        ],
      ]}
    />
  );
}

/** The manifests that clients have applied: each is a copy of the object. */
const APPLIED = /\/last-applied(-configuration)?$/;

/** Labels or annotations; copies of the object are folded. */
function Pairs({ pairs = {} }: { readonly pairs: Metadata['annotations'] }): ReactNode {
  const entries = Object.entries(pairs);
  if (entries.length === 0) return '–';
  return (
    <ul>
      {entries.map(([key, value]) => (
        <li key={key}>
          {APPLIED.test(key) ? (
            <Folded summary={key}>
              <code>{value}</code>
            </Folded>
          ) : (
            <code>
              {key}=<LinkedText value={value} />
            </code>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Managers with the fields that each owns. The fields are folded: there may be thousands. */
function Managers({ managers }: { readonly managers: readonly FieldManagerEntry[] }): ReactNode {
  return (
    <ul>
      {managers.map(({ manager, operation, subresource, time, fields }, i) => (
        <li key={i}>
          <Folded
            summary={[manager, operation, subresource, formatCount(fields.length)]
              .filter(Boolean)
              .join(' · ')}
          >
            {time !== undefined && <Age time={time} isPhrase />}
            <ul>
              {fields.map((field) => (
                <li key={field}>
                  <code>{field}</code>
                </li>
              ))}
            </ul>
          </Folded>
        </li>
      ))}
    </ul>
  );
}
