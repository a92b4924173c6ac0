import { useId, type ReactNode } from 'react';
import type { Index } from '../../../api/models.js';
import { fieldIs, findLabelKey } from '../../../api/selectors.js';
import type { FacetValue } from '../../../api/tables.js';
import { formatCount } from '../../../lib/format.js';
import { Bar } from '../../../parts/bar.js';
import { t } from '../../../texts.js';
import { formatLiteral } from '../conditions/language.js';
import {
  hasRequirement,
  withoutRequirement,
  withRequirement,
  type Requirement,
} from '../conditions/requirements.js';

interface FacetValuesProps {
  readonly field: string;
  /** Undefined for labels. */
  readonly index: Index | undefined;
  readonly values: readonly FacetValue[];
  readonly parameters: URLSearchParams;
  readonly onChange: (parameters: URLSearchParams) => void;
  readonly onClose: () => void;
}

/** The limit of a displayed value; longer ones are cut. */
const LENGTH_MAX = 200;

/** The most frequent values of one field. */
export function FacetValues(props: FacetValuesProps): ReactNode {
  const { field, index, values, parameters, onChange, onClose } = props;
  const id = useId();
  const most = values[0]?.count ?? 0;
  return (
    <section className="stack tight" aria-labelledby={id}>
      <div className="line spread">
        <h3 id={id}>{findLabelKey(field) ?? field}</h3>
        <button
          type="button"
          className="quiet sign"
          aria-label={t`Hide values of ${field}`}
          onClick={onClose}
        >
          <span aria-hidden="true">×</span>
        </button>
      </div>
      {values.length === 0 && <p className="faint">{t`no values`}</p>}
      <ul className="tall">
        {values.map(({ value, count }) => {
          const requirement = requirementFor(field, index, value);
          const isOn = hasRequirement(parameters, requirement);
          const change = isOn ? withoutRequirement : withRequirement;
          return (
            <li key={String(value)}>
              <button
                type="button"
                className="toggle facet-value"
                aria-pressed={isOn}
                onClick={() => onChange(change(parameters, requirement))}
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

/** The requirement that an object has the value. */
function requirementFor(field: string, index: Index | undefined, value: FacetValue['value']): Requirement {
  const shown = String(value);
  const key = findLabelKey(field);
  if (key !== undefined) return { of: 'labelSelector', text: `${key}=${shown}` };
  // Selectors trim white space from values.
  if (shown.trim() === shown) return { of: 'fieldSelector', text: fieldIs(field, shown) };
  const literal = formatLiteral(value, index?.keyType ?? 'string');
  return { of: 'filter', text: index?.multi === true ? `${literal} in ${field}` : `${field} == ${literal}` };
}
