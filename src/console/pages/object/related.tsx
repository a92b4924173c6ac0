import type { ReactNode } from 'react';
import { storedModel } from '../../api/names.js';
import { getPath, useModels, type Model, type ModelRef } from '../../api/models.js';
import type { OwnerReference, StoredObject } from '../../api/objects.js';
import { fieldIs } from '../../api/selectors.js';
import { useMay } from '../../api/platform/rights.js';
import { DEPENDENTS, EFFECTS, REFERRERS, useReferrers } from '../../api/related.js';
import { formatCount } from '../../lib/format.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { getList, getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { Owned } from './owned.js';
import { getReferences, valuesAt, type Reference } from '../../lib/references.js';

interface RelatedProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly object: StoredObject;
}

/** The targets, referrers, dependents and owners of an object. */
export function Related({ modelRef, model, object }: RelatedProps): ReactNode {
  const models = useModels().data ?? [];
  const mayReadReferrers = useMay('list', REFERRERS);
  const mayReadDependents = useMay('list', DEPENDENTS);
  const references = model === undefined ? [] : getReferences(model.schema);
  return (
    <div className="tiles">
      <Section title={t`Refers to`}>
        {references.length === 0 && <p className="faint">{t`The model has no references.`}</p>}
        <ul className="lines">
          {references.map((reference) => (
            <Targets key={reference.path.join('.')} reference={reference} object={object} models={models} />
          ))}
        </ul>
      </Section>
      <Section title={t`Referred to by`}>
        {mayReadReferrers ? (
          <Referrers modelRef={modelRef} name={object.metadata.name} />
        ) : (
          <p className="faint">{t`You may not read what refers to objects.`}</p>
        )}
      </Section>
      <Section title={t`Owns`}>
        {mayReadDependents ? (
          <Owned modelRef={modelRef} object={object} />
        ) : (
          <p className="faint">{t`You may not read what objects own.`}</p>
        )}
      </Section>
      <Section title={t`Owners`}>
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
        ? '–'
        : names.map((name) => (
            <span key={name} className="also">
              {target === undefined ? (
                name
              ) : (
                <a className="in-text" href={getObject(target, name)}>
                  {name}
                </a>
              )}
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
  if (data.length === 0) return <p className="faint">{t`No model refers to this one.`}</p>;
  return (
    <ul className="lines">
      {data.map((one) => (
        <li key={`${getPath(one)} ${one.field}`}>
          <a className="in-text" href={getList(one, { fieldSelector: fieldIs(one.field, name) })}>
            {one.plural}
          </a>{' '}
          <code>{one.field}</code> <span className="number">{formatCount(one.total)}</span>
          <p className="faint">
            {EFFECTS[one.onDelete]()}
            {one.names.map((referrer) => (
              <a key={referrer} className="also in-text" href={getObject(one, referrer)}>
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
  if (owners.length === 0) return <p className="faint">{t`No owners.`}</p>;
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
