import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { getPath, useModels, type ModelRef } from '../../api/models.js';
import { storedModel } from '../../api/names.js';
import type { StoredObject } from '../../api/objects.js';
import { useMay } from '../../api/platform/rights.js';
import {
  DEPENDENTS,
  EFFECTS,
  REFERRERS,
  useDependents,
  useReferrers,
  type RelatedObjects,
} from '../../api/related.js';
import { fieldIs } from '../../api/selectors.js';
import { titlesQuery } from '../../api/titles.js';
import { formatCount } from '../../lib/format.js';
import { getReferences, valuesAt } from '../../lib/references.js';
import { ModelLink } from '../../parts/models/model-name.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { FieldName } from './field-name.js';
import { useRecord } from './record.js';

/** The targets, referrers, dependents and owners of an object. */
export function Related({ object }: { readonly object: StoredObject }): ReactNode {
  const mayReadReferrers = useMay('list', REFERRERS);
  const mayReadDependents = useMay('list', DEPENDENTS);
  return (
    <div className="tiles">
      <Section title={t`Refers to`}>
        <Targets object={object} />
      </Section>
      <Section title={t`Referred to by`}>
        {mayReadReferrers ? (
          <Referrers />
        ) : (
          <p className="faint">{t`You may not read what refers to objects.`}</p>
        )}
      </Section>
      <Section title={t`Owns`}>
        {mayReadDependents ? (
          <Owned uid={object.metadata.uid ?? ''} />
        ) : (
          <p className="faint">{t`You may not read what objects own.`}</p>
        )}
      </Section>
      <Section title={t`Owners`}>
        <Owners object={object} />
      </Section>
    </div>
  );
}

/** Links to the first objects of a relation. */
export function Names({ of: { names, total, ...model } }: { readonly of: RelatedObjects }): ReactNode {
  return (
    <span className="faint">
      <Links model={model} names={names} />
      {total > names.length && names.length > 0 && ', …'}
    </span>
  );
}

interface LinksProps {
  /** Undefined when it is not known. */
  readonly model: ModelRef | undefined;
  readonly names: readonly string[];
}

/** Objects by their titles. */
function Links({ model, names }: LinksProps): ReactNode {
  const path = model && getPath(model);
  const found = useModels().data?.find((one) => getPath(one) === path);
  const { data: titles } = useQuery(titlesQuery(found, names));
  return names.map((name, i) => (
    <Fragment key={name}>
      {i > 0 && ', '}
      {model === undefined ? (
        name
      ) : (
        <a href={getObject(model, name)} title={name}>
          {titles?.get(name) ?? name}
        </a>
      )}
    </Fragment>
  ));
}

function Targets({ object }: { readonly object: StoredObject }): ReactNode {
  const { model, modelRef } = useRecord();
  const models = useModels().data ?? [];
  const references = model === undefined ? [] : getReferences(model.schema);
  if (references.length === 0) return <p className="faint">{t`The model has no references.`}</p>;
  return (
    <ul className="lines">
      {references.map(({ group, kind, path }) => {
        const names = valuesAt(object, path);
        return (
          <li key={path.join('.')} className="record-relation">
            <FieldName modelRef={modelRef} field={path.join('.')} />
            <span>
              {names.length === 0 ? '–' : <Links model={storedModel(models, group, kind)} names={names} />}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Referrers(): ReactNode {
  const { modelRef, name } = useRecord();
  const { data, error } = useReferrers(modelRef, name);
  if (data === undefined) return <Pending error={error} />;
  if (data.length === 0) return <p className="faint">{t`No model refers to this one.`}</p>;
  return (
    <ul className="lines">
      {data.map((one) => (
        <li key={`${getPath(one)} ${one.field}`}>
          <ModelLink modelRef={one} parameters={{ fieldSelector: fieldIs(one.field, name) }} />{' '}
          <FieldName modelRef={one} field={one.field} />{' '}
          <span className="number">{formatCount(one.total)}</span>
          <p className="faint">
            {EFFECTS[one.onDelete]()} <Names of={one} />
          </p>
        </li>
      ))}
    </ul>
  );
}

/** The index for the dependents of an owner, in every model. */
const OWNER_UIDS = 'metadata.ownerReferences.uid';

function Owned({ uid }: { readonly uid: string }): ReactNode {
  const { modelRef, name } = useRecord();
  const { data, error } = useDependents(modelRef, name);
  if (data === undefined) return <Pending error={error} />;
  if (data.length === 0) return <p className="faint">{t`It owns no objects.`}</p>;
  return (
    <ul className="lines">
      {data.map((one) => (
        <li key={getPath(one)}>
          <ModelLink modelRef={one} parameters={{ fieldSelector: fieldIs(OWNER_UIDS, uid) }} />{' '}
          <span className="number">{formatCount(one.total)}</span>
          {one.shared > 0 && (
            <p className="faint">{t`${one.shared} of them also [has another owner and is|have other owners and are] kept.`}</p>
          )}
          <p>
            <Names of={one} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function Owners({ object }: { readonly object: StoredObject }): ReactNode {
  const models = useModels().data ?? [];
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length === 0) return <p className="faint">{t`No owners.`}</p>;
  return (
    <ul className="lines">
      {owners.map(({ apiVersion, kind, name, uid }) => {
        const [, group = ''] = apiVersion.split('/').reverse();
        return (
          <li key={uid}>
            {kind} <Links model={storedModel(models, group, kind)} names={[name]} />
          </li>
        );
      })}
    </ul>
  );
}
