import { useState, type ReactNode } from 'react';
import type { Model } from '../../api/models.js';
import { useMay } from '../../api/platform/rights.js';
import { useStoppable } from '../../lib/use-stoppable.js';
import { ErrorNotice } from '../../parts/notice.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { findUnfit, type LookedAt } from './find-unfit.js';

interface UnfitProps {
  readonly model: Model;
  /** Undefined when they are not counted. */
  readonly count: number | undefined;
  /** Names in references that no object has. */
  readonly dangling: number;
}

/** The objects that do not fit their model, and their number. */
export function Unfit({ model, count, dangling }: UnfitProps): ReactNode {
  return (
    <>
      {count === undefined && '–'}
      {count === 0 && t`All valid.`}
      {count !== undefined && count > 0 && (
        <>
          <p className="attention">{t`${count} [invalid object|invalid objects]`}</p>
          <Finder model={model} count={count} />
        </>
      )}
      {dangling > 0 && <p className="attention">{t`${dangling} [dangling reference|dangling references]`}</p>}
    </>
  );
}

function Finder({ model, count }: { readonly model: Model; readonly count: number }): ReactNode {
  const [found, setFound] = useState<LookedAt>();
  const { start, stop, isRunning, error } = useStoppable(async (signal) => {
    setFound({ looked: 0, invalid: [] });
    for await (const part of findUnfit(model, count, signal)) setFound(part);
  });
  if (!useMay('patch', model))
    return <p className="faint">{t`To find them, you need the right to patch them.`}</p>;
  const name = isRunning ? undefined : t`Find them among ${model.plural}`;
  return (
    <>
      <button type="button" aria-label={name} onClick={isRunning ? stop : start}>
        {isRunning ? t`Stop` : t`Find them`}
      </button>
      <p role="status" className="faint">
        {found !== undefined && t`${found.looked} checked, ${found.invalid.length} found`}
      </p>
      {error !== null && <ErrorNotice error={error} />}
      <ul className="lines">
        {found?.invalid.map(({ name: object, problems }) => (
          <li key={object}>
            <a href={getObject(model, object)}>{object}</a>
            {problems.map((problem) => (
              <p key={problem} className="problem">
                {problem}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}
