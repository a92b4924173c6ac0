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
  return (
    <li className="model-card">
      <Icon name={getModelHints(model.schema).icon ?? 'box'} />
      <a className="model-card-name" href={getList(model)} title={`${model.kind} · ${model.group}`}>
        {model.plural}
      </a>
      <span className="model-card-count">
        <ObjectCount model={model} />
      </span>
      <ChangesOf model={model} counts={counts} />
      {unfit > 0 && (
        <p className="model-card-unfit attention">{t`${unfit} [invalid object|invalid objects]`}</p>
      )}
    </li>
  );
}

function ChangesOf({ model, counts }: Omit<ModelCardProps, 'unfit'>): ReactNode {
  const values = counts.of(model);
  if (values === undefined) return null;
  const sum = values.reduce((before, value) => before + value, 0);
  const label = t`${sum} of the last ${counts.looked} [change|changes] of the store`;
  return <Sparkline label={label} values={values} max={counts.max} />;
}
