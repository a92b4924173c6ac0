import type { ReactNode } from 'react';
import { getPath, type Model } from '../../api/models.js';
import { getModelHints } from '../../lib/hints.js';
import { getModelTitle } from '../../lib/naming.js';
import { Icon } from '../../parts/icon.js';
import { ObjectCount } from '../../parts/object-count.js';
import { getList } from '../../routes/route.js';
import { t } from '../../texts.js';
import type { RecentChanges } from './change-feed.js';

const STEPS = 25;

/** The number of changes of each model's objects in each part of the range. */
interface ChangeCounts {
  /** By the path of the model, the oldest part first. */
  readonly counts: ReadonlyMap<string, readonly number[]>;
  /** The largest number in any part. */
  readonly max: number;
  /** The number of changes in the range. */
  readonly looked: number;
}

export function countChanges({ after, head, changes, reported }: RecentChanges): ChangeCounts {
  const looked = head - after;
  const counts = new Map([...reported].map((path) => [path, new Array<number>(STEPS).fill(0)]));
  for (const { model, revision } of changes) {
    const parts = counts.get(getPath(model));
    // When the changes are fewer than the parts, each has its own part.
    const part = Math.min(STEPS - 1, Math.floor(((revision - after - 1) * STEPS) / Math.max(looked, STEPS)));
    if (parts !== undefined) parts[part] = (parts[part] ?? 0) + 1;
  }
  return { counts, max: Math.max(0, ...[...counts.values()].flat()), looked };
}

interface ModelCardProps {
  readonly model: Model;
  readonly changes: ChangeCounts;
  /** The number of objects that do not fit. */
  readonly unfit: number;
}

/** A model with the number of its objects, and how often they change. */
export function ModelCard({ model, changes: { counts, max, looked }, unfit }: ModelCardProps): ReactNode {
  const values = counts.get(getPath(model));
  const sum = values?.reduce((before, value) => before + value, 0) ?? 0;
  return (
    <li className="card model-card">
      <Icon name={getModelHints(model.schema).icon ?? 'box'} />
      <a href={getList(model)} title={`${model.kind} · ${model.group}`}>
        {getModelTitle(model)}
      </a>
      <ObjectCount model={model} />
      {values !== undefined && (
        <svg
          role="img"
          aria-label={t`${sum} of the last ${looked} [change|changes] of the store`}
          viewBox={`0 0 ${STEPS} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          <path d={`M0 ${HEIGHT - 0.5}H${STEPS}`} />
          {values.map((value, i) => {
            const height = Math.max(LOW, (value / max) * HEIGHT);
            return value > 0 && <rect key={i} x={i} y={HEIGHT - height} width={0.75} height={height} />;
          })}
        </svg>
      )}
      {unfit > 0 && <p className="attention">{t`${unfit} [invalid object|invalid objects]`}</p>}
    </li>
  );
}

const HEIGHT = 20;
/** The minimum height of a bar with a value. */
const LOW = 2;
