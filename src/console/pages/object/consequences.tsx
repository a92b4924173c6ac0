import type { ReactNode } from 'react';
import { getPath, type ModelRef } from '../../api/models.js';
import { EFFECTS, useReferrers } from '../../api/related.js';
import { formatCount } from '../../lib/format.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { Finalizers } from './finalizers.js';

interface ConsequencesProps {
  readonly modelRef: ModelRef;
  readonly name: string;
  readonly finalizers: readonly string[];
}

/** The effects of an object's deletion on its referrers, and the finalizers it will wait for. */
export function Consequences({ modelRef, name, finalizers }: ConsequencesProps): ReactNode {
  const referrers = (useReferrers(modelRef, name).data ?? []).filter(({ total }) => total > 0);
  return (
    <>
      {referrers.length > 0 && (
        <ul className="lines" aria-label={t`Referred to by`}>
          {referrers.map(({ field, plural, total, names, onDelete, ...ref }) => (
            <li key={`${getPath({ ...ref, plural })} ${field}`}>
              <strong>{formatCount(total)}</strong> {plural} <code>{field}</code>: {EFFECTS[onDelete]()}{' '}
              <span className="faint">
                {names.map((referrer, i) => (
                  <span key={referrer}>
                    {i > 0 && ', '}
                    <a href={getObject({ ...ref, plural }, referrer)}>{referrer}</a>
                  </span>
                ))}
                {total > names.length && ', …'}
              </span>
            </li>
          ))}
        </ul>
      )}
      {finalizers.length > 0 && (
        <div>
          <p>{t`It will stay until these finalizers are removed:`}</p>
          <Finalizers names={finalizers} />
        </div>
      )}
    </>
  );
}
