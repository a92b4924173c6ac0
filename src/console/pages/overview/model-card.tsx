import type { ReactNode } from 'react';
import type { Model } from '../../api/models.js';
import { getModelHints } from '../../lib/hints.js';
import { Icon } from '../../parts/icon.js';
import { ObjectCount } from '../../parts/object-count.js';
import { getList } from '../../routes/route.js';
import { t } from '../../texts.js';
import type { ChangeCounts } from './change-counts.js';
import { Sparkline } from './sparkline.js';

interface ModelCardProps {
  readonly model: Model;
  readonly counts: ChangeCounts;
  /** The number of objects that do not fit. */
  readonly unfit: number;
}

/** A model with the number of its objects, and how often they change. */
export function ModelCard({ model, counts, unfit }: ModelCardProps): ReactNode {
  const values = counts.of(model);
  const sum = values?.reduce((before, value) => before + value, 0) ?? 0;
  return (
    <li className="card model-card">
      <Icon name={getModelHints(model.schema).icon ?? 'box'} />
      <a href={getList(model)} title={`${model.kind} · ${model.group}`}>
        {model.plural}
      </a>
      <ObjectCount model={model} />
      {values !== undefined && (
        <Sparkline
          label={t`${sum} of the last ${counts.looked} [change|changes] of the store`}
          values={values}
          max={counts.max}
        />
      )}
      {unfit > 0 && <p className="attention">{t`${unfit} [invalid object|invalid objects]`}</p>}
    </li>
  );
}
