import type { ReactNode } from 'react';
import type { Model, ModelRef } from '../../../api/models.js';
import { t } from '../../../texts.js';
import { CONDITIONS, withParameter, type Condition, type Fault } from '../parameters.js';
import { ConditionField } from './condition-field.js';
import { formatText } from './requirements.js';

interface ConditionsProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly parameters: URLSearchParams;
  readonly fault: Fault | undefined;
  readonly onChange: (parameters: URLSearchParams) => void;
}

/** Fields for the conditions of the list. Enter applies one; it is stored in the URL. */
export function Conditions({ modelRef, model, parameters, fault, onChange }: ConditionsProps): ReactNode {
  return (
    <div className="tiles tiles-narrow below" role="search">
      {CONDITIONS.map((name) => (
        <ConditionField
          key={name}
          suggesting={{ name, modelRef, model, parameters }}
          value={formatText(parameters, name)}
          label={formatLabel(name)}
          hint={formatHint(name, model)}
          problem={fault?.field === name ? fault.message : undefined}
          onApply={(typed) => onChange(withParameter(parameters, name, typed))}
        />
      ))}
    </div>
  );
}

function formatLabel(name: Condition): string {
  if (name === 'labelSelector') return t`Label selector`;
  return name === 'filter' ? t`Filter` : t`Field selector`;
}

/** An example of a condition, with a field of the model. */
function formatHint(name: Condition, model: Model | undefined): string {
  const field = model?.indexes.find((one) => !one.name.startsWith('metadata.'))?.name ?? 'metadata.name';
  if (name === 'labelSelector') return t`env=prod, team in (a, b)`;
  return name === 'filter' ? t`has(${field})` : t`${field}=value`;
}
