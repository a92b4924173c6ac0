import type { ReactNode } from 'react';
import type { Model } from '../../../api/models.js';
import { t } from '../../../texts.js';
import { getIndexes } from '../fields.js';
import { useListState } from '../list-context.js';
import { CONDITIONS, withParameter, type Condition, type Fault } from '../parameters.js';
import { ConditionField } from './condition-field.js';
import { formatText } from './requirements.js';

export interface FaultProps {
  /** The condition that the service cannot parse. */
  readonly fault: Fault | undefined;
}

/** The conditions as the texts of the API. Enter applies one. */
export function TextFields({ fault }: FaultProps): ReactNode {
  const { model, parameters, onChange } = useListState();
  return (
    <div className="tiles tiles-narrow tight text-fields">
      {CONDITIONS.map((name) => (
        <ConditionField
          key={name}
          value={formatText(parameters, name)}
          label={LABELS[name]()}
          hint={formatHint(name, model)}
          problem={fault?.field === name ? fault.message : undefined}
          read={(typed) => typed.trim()}
          onApply={(typed) => onChange(withParameter(parameters, name, typed))}
        />
      ))}
    </div>
  );
}

const LABELS: Readonly<Record<Condition, () => string>> = {
  labelSelector: () => t`Label selector`,
  fieldSelector: () => t`Field selector`,
  filter: () => t`Filter`,
};

/** An example of a condition, with a field of the model. */
function formatHint(name: Condition, model: Model | undefined): string {
  const names = getIndexes(model).map((index) => index.name);
  const field = names.find((one) => !one.startsWith('metadata.')) ?? 'metadata.name';
  if (name === 'labelSelector') return t`env=prod, team in (a, b)`;
  return name === 'filter' ? t`has(${field})` : t`${field}=value`;
}
