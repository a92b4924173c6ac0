import type { ReactNode } from 'react';
import { useDependents, type ModelDependents } from '../../api/related.js';
import { getPath, type ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { fieldIs } from '../../api/selectors.js';
import { formatCount } from '../../lib/format.js';
import { Pending } from '../../parts/notice.js';
import { getList, getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { EFFECTS, type Policy } from './policies.js';

/** The index for the dependents of an owner, in every model. */
const OWNER_UIDS = 'metadata.ownerReferences.uid';

interface OwnedProps {
  readonly modelRef: ModelRef;
  readonly object: StoredObject;
}

/** The dependents of an object, with links. */
export function Owned({ modelRef, object: { metadata } }: OwnedProps): ReactNode {
  const { data, error } = useDependents(modelRef, metadata.name);
  if (data === undefined) return <Pending error={error} />;
  if (data.length === 0) return <p className="faint">{t`It owns no objects.`}</p>;
  const all = { fieldSelector: fieldIs(OWNER_UIDS, metadata.uid ?? '') };
  return (
    <ul className="lines">
      {data.map((one) => (
        <li key={getPath(one)}>
          <a href={getList(one, all)}>{one.plural}</a>{' '}
          <span className="number">{formatCount(one.total)}</span>
          {one.shared > 0 && (
            <p className="faint">{t`${one.shared} of them also [has another owner and is|have other owners and are] kept.`}</p>
          )}
          <p className="row faint">
            {one.names.map((name) => (
              <a key={name} href={getObject(one, name)}>
                {name}
              </a>
            ))}
            {one.total > one.names.length && one.names.length > 0 && '…'}
          </p>
        </li>
      ))}
    </ul>
  );
}

interface OwnedFateProps {
  readonly dependents: readonly ModelDependents[];
  readonly policy: Policy;
}

/** The numbers of dependents that are deleted with the object, and that remain. */
export function OwnedFate({ dependents, policy }: OwnedFateProps): ReactNode {
  return (
    <ul className="lines" aria-label={t`Owned objects`}>
      {dependents.map((one) => {
        const kept = policy === 'Orphan' ? 0 : one.shared;
        const { total, plural, names } = one;
        return (
          <li key={getPath(one)}>
            {total > kept && <Fate count={total - kept} plural={plural} fate={EFFECTS[policy]()} />}
            {kept > 0 && <Fate count={kept} plural={plural} fate={t`also have other owners, and are kept`} />}
            <p className="faint">
              {names.join(', ')}
              {total > names.length && names.length > 0 && ', …'}
            </p>
          </li>
        );
      })}
    </ul>
  );
}

interface FateProps {
  readonly count: number;
  readonly plural: string;
  readonly fate: string;
}

function Fate({ count, plural, fate }: FateProps): ReactNode {
  return (
    <p>
      <strong>{formatCount(count)}</strong> {plural}: {fate}
    </p>
  );
}
