import type { ReactNode } from 'react';
import { storedModel } from '../../api/names.js';
import { getPath, useModels, type Model, type ModelRef } from '../../api/models.js';
import type { OwnerReference, StoredObject } from '../../api/objects.js';
import { fieldIs } from '../../api/selectors.js';
import { useReferrers } from '../../api/referrers.js';
import { formatCount } from '../../lib/format.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { getList, getObject } from '../../routes/route.js';
import { text } from '../../texts.js';
import { Owned } from './owned.js';
import { getReferences, valuesAt, type Reference } from './references.js';

interface RelatedProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly object: StoredObject;
}

/** The targets, referrers, dependents and owners of an object. */
export function Related({ modelRef, model, object }: RelatedProps): ReactNode {
  const models = useModels().data ?? [];
  const references = model === undefined ? [] : getReferences(model.schema);
  return (
    <div className="halves">
      <Section title={text.object.refersTo}>
        {references.length === 0 && <p className="faint">{text.object.noReferences}</p>}
        <ul className="lines">
          {references.map((reference) => (
            <Targets key={reference.path.join('.')} reference={reference} object={object} models={models} />
          ))}
        </ul>
      </Section>
      <Section title={text.object.referredBy}>
        <Referrers modelRef={modelRef} name={object.metadata.name} />
      </Section>
      <Section title={text.object.owns}>
        <Owned modelRef={modelRef} object={object} />
      </Section>
      <Section title={text.object.owners}>
        <Owners owners={object.metadata.ownerReferences ?? []} models={models} />
      </Section>
    </div>
  );
}

interface TargetsProps {
  readonly reference: Reference;
  readonly object: StoredObject;
  readonly models: readonly Model[];
}

function Targets({ reference: { group, kind, path }, object, models }: TargetsProps): ReactNode {
  const target = storedModel(models, group, kind);
  const names = valuesAt(object, path);
  return (
    <li>
      <code>{path.join('.')}</code>{' '}
      {names.length === 0
        ? text.none
        : names.map((name) => (
            <span key={name} className="also">
              {target === undefined ? name : <a href={getObject(target, name)}>{name}</a>}
            </span>
          ))}
    </li>
  );
}

interface ReferrersProps {
  readonly modelRef: ModelRef;
  readonly name: string;
}

function Referrers({ modelRef, name }: ReferrersProps): ReactNode {
  const { data, error } = useReferrers(modelRef, name);
  if (data === undefined) return <Pending error={error} />;
  if (data.length === 0) return <p className="faint">{text.object.noReferrers}</p>;
  return (
    <ul className="lines">
      {data.map((one) => (
        <li key={`${getPath(one)} ${one.field}`}>
          <a href={getList(one, { fieldSelector: fieldIs(one.field, name) })}>{one.plural}</a>{' '}
          <code>{one.field}</code> <span className="number">{formatCount(one.total)}</span>
          <p className="faint">
            {text.object.onDelete[one.onDelete]}
            {one.names.map((referrer) => (
              <a key={referrer} className="also" href={getObject(one, referrer)}>
                {referrer}
              </a>
            ))}
          </p>
        </li>
      ))}
    </ul>
  );
}

interface OwnersProps {
  readonly owners: readonly OwnerReference[];
  readonly models: readonly Model[];
}

function Owners({ owners, models }: OwnersProps): ReactNode {
  if (owners.length === 0) return <p className="faint">{text.object.noOwners}</p>;
  return (
    <ul className="lines">
      {owners.map(({ apiVersion, kind, name, uid }) => {
        const [, group = ''] = apiVersion.split('/').reverse();
        const model = storedModel(models, group, kind);
        return (
          <li key={uid}>
            {kind} {model === undefined ? name : <a href={getObject(model, name)}>{name}</a>}
          </li>
        );
      })}
    </ul>
  );
}
