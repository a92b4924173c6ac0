import { useId, useState, type ReactNode, type SubmitEvent } from 'react';
import type { Model } from '../../../api/models.js';
import { t } from '../../../texts.js';
import { getIndexes } from '../fields.js';
import { useListState } from '../list-context.js';
import { CONDITIONS, withParameter, type Condition, type Fault } from '../parameters.js';
import { formatText } from './requirements.js';

/** The conditions as the texts of the API. Enter applies one. */
export function TextFields({ fault }: { readonly fault: Fault | undefined }): ReactNode {
  const { model, parameters, onChange } = useListState();
  return (
    <div className="text-fields">
      {CONDITIONS.map((name) => (
        <ConditionField
          key={name}
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

interface ConditionFieldProps {
  /** The value in the URL. */
  readonly value: string;
  readonly label: string;
  readonly hint: string;
  readonly problem: string | undefined;
  readonly onApply: (value: string) => void;
}

function ConditionField({ value, label, hint, problem, onApply }: ConditionFieldProps): ReactNode {
  const id = useId();
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // The URL may change without the field, for example by the back button.
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  const apply = (event: SubmitEvent): void => {
    event.preventDefault();
    onApply(typed.trim());
  };
  return (
    <form className="field" onSubmit={apply}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="mono"
        value={typed}
        placeholder={hint}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onChange={({ target }) => setTyped(target.value)}
      />
      <p id={`${id}-problem`} className="problem" role="alert">
        {problem !== undefined && <span lang="en">{problem}</span>}
      </p>
    </form>
  );
}

function formatLabel(name: Condition): string {
  if (name === 'labelSelector') return t`Label selector`;
  return name === 'filter' ? t`Filter` : t`Field selector`;
}

/** An example of a condition, with a field of the model. */
function formatHint(name: Condition, model: Model | undefined): string {
  const names = getIndexes(model).map((index) => index.name);
  const field = names.find((one) => !one.startsWith('metadata.')) ?? 'metadata.name';
  if (name === 'labelSelector') return t`env=prod, team in (a, b)`;
  return name === 'filter' ? t`has(${field})` : t`${field}=value`;
}
