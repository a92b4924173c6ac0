import { useId, type ReactNode } from 'react';
import type { FacetValue } from '../../../api/tables.js';
import { formatCount } from '../../../lib/format.js';
import { Bar } from '../../../parts/bar.js';
import { SignButton } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { getFieldTitle } from '../fields.js';
import { formatFilter } from '../filters/format-filter.js';
import { hasRequirement, withRequirements } from '../filters/requirements.js';
import { useListState } from '../list-context.js';

interface FacetValuesProps {
  readonly field: string;
  readonly values: readonly FacetValue[];
  readonly onClose: () => void;
}

/** The limit of a displayed value; longer ones are cut. */
const LENGTH_MAX = 200;

/** The most frequent values of one field. */
export function FacetValues({ field, values, onClose }: FacetValuesProps): ReactNode {
  const { model, parameters, onChange } = useListState();
  const id = useId();
  const most = values[0]?.count ?? 0;
  const index = model?.indexes.find(({ name }) => name === field);
  return (
    <section className="stack tight" aria-labelledby={id}>
      <div className="line spread">
        <h2 id={id} title={field}>
          {getFieldTitle(model, field)}
        </h2>
        <SignButton icon="close" label={t`Hide values of ${field}`} onPress={onClose} />
      </div>
      {values.length === 0 && <p className="faint">{t`no values`}</p>}
      <ul className="tall">
        {values.map(({ value, count }) => {
          const stated = formatFilter({ field, operator: 'is', values: [String(value)] }, index);
          const isOn = stated.every((one) => hasRequirement(parameters, one));
          return (
            <li key={String(value)}>
              <button
                type="button"
                className="toggle facet-value"
                aria-pressed={isOn}
                onClick={() => onChange(withRequirements(parameters, isOn ? stated : [], isOn ? [] : stated))}
              >
                <span className="cut">{getName(value)}</span>{' '}
                <span className="number">{formatCount(count)}</span>
                <Bar share={most === 0 ? 0 : count / most} />
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function getName(value: FacetValue['value']): string {
  return value === '' ? t`(empty)` : String(value).slice(0, LENGTH_MAX);
}
