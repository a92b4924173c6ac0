import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Model } from '../../api/models.js';
import { useMay } from '../../api/platform/rights.js';
import { ErrorNotice } from '../../parts/notice.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { findUnfit, type InvalidObject } from './find-unfit.js';

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
  const [found, setFound] = useState<readonly InvalidObject[]>([]);
  const [looked, setLooked] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const mayPatch = useMay('patch', model);
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: async () => {
      setFound([]);
      setLooked(0);
      stop.current = new AbortController();
      const { signal } = stop.current;
      try {
        for await (const part of findUnfit(model, count, signal)) {
          setLooked(part.looked);
          setFound((before) => [...before, ...part.invalid]);
        }
      } catch (error) {
        // A user who stopped it needs no error.
        if (!signal.aborted) throw error;
      }
    },
  });
  if (!mayPatch) return <p className="faint">{t`To find them, you need the right to patch them.`}</p>;
  return (
    <>
      {isPending ? (
        <button type="button" onClick={() => stop.current.abort()}>
          {t`Stop`}
        </button>
      ) : (
        <button type="button" aria-label={t`Find them among ${model.plural}`} onClick={() => mutate()}>
          {t`Find them`}
        </button>
      )}
      <p role="status" className="faint">
        {(isPending || isSuccess) && t`${looked} checked, ${found.length} found`}
      </p>
      {error !== null && <ErrorNotice error={error} />}
      <ul className="lines">
        {found.map(({ name, problems }) => (
          <li key={name}>
            <a href={getObject(model, name)}>{name}</a>
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
