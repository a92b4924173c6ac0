import { useId, useState, type ReactNode, type SubmitEvent } from 'react';
import type { Model, ModelRef } from '../../../../api/models.js';
import { Icon } from '../../../../parts/icon.js';
import { t } from '../../../../texts.js';
import { getFieldIcon } from '../../fields.js';
import type { FieldFilter, FilterOperator } from '../filter.js';
import {
  countValues,
  formatOperator,
  getFilterField,
  getFilterFields,
  getOperators,
  type FilterField,
} from '../operators.js';
import { useLabelKeys } from '../use-label-keys.js';
import { ValueInputs } from './value-inputs.js';

interface FilterEditorProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  /** Without the edited condition: its values are counted among the others. */
  readonly parameters: URLSearchParams;
  /** Undefined for a new condition. */
  readonly filter: FieldFilter | undefined;
  readonly onApply: (filter: FieldFilter) => void;
}

/** Chooses a field, an operator and values, step by step. */
export default function FilterEditor(props: FilterEditorProps): ReactNode {
  const { modelRef, model, filter } = props;
  const keys = useLabelKeys(modelRef, true);
  const [field, setField] = useState(filter?.field);
  if (field === undefined) return <FieldList fields={getFilterFields(model, keys)} onChoose={setField} />;
  return (
    <ConditionForm
      key={field}
      {...props}
      field={getFilterField(model, field)}
      onBack={filter === undefined ? () => setField(undefined) : undefined}
    />
  );
}

interface FieldListProps {
  readonly fields: readonly FilterField[];
  readonly onChoose: (field: string) => void;
}

function FieldList({ fields, onChoose }: FieldListProps): ReactNode {
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  const found = fields.filter(({ title, field }) => `${title} ${field}`.toLowerCase().includes(wanted));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const [first] = found;
    if (first !== undefined) onChoose(first.field);
  };
  return (
    <form className="filter-editor" onSubmit={submit}>
      <input
        type="search"
        autoFocus
        aria-label={t`Find a field`}
        placeholder={t`Find a field`}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <ul className="filter-editor-fields" aria-label={t`Fields`}>
        {found.map(({ field, title, kind }) => (
          <li key={field}>
            <button type="button" title={field} onClick={() => onChoose(field)}>
              <Icon name={getFieldIcon(kind)} />
              {title}
            </button>
          </li>
        ))}
        {found.length === 0 && <li className="faint">{t`No matches.`}</li>}
      </ul>
    </form>
  );
}

interface ConditionFormProps extends FilterEditorProps {
  readonly field: FilterField;
  readonly onBack: (() => void) | undefined;
}

function ConditionForm(props: ConditionFormProps): ReactNode {
  const { modelRef, model, parameters, filter, field, onBack, onApply } = props;
  const id = useId();
  const operators = getOperators(field);
  const [operator, setOperator] = useState<FilterOperator>(filter?.operator ?? operators[0] ?? 'is');
  const [values, setValues] = useState<readonly string[]>(filter?.values ?? []);
  const count = countValues(operator);
  const given = count === undefined ? values : Array.from({ length: count }, (_, i) => values[i] ?? '');
  const isIncomplete =
    count === undefined ? values.length === 0 : given.some((one) => one === '' && field.kind !== 'text');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isIncomplete) onApply({ field: field.field, operator, values: given });
  };
  const all = operators.includes(operator) ? operators : [...operators, operator];
  return (
    <form className="filter-editor" onSubmit={submit}>
      <div className="filter-editor-head">
        {onBack !== undefined && (
          <button type="button" className="quiet sign" aria-label={t`Other field`} onClick={onBack}>
            <Icon name="arrow-left" />
          </button>
        )}
        <strong id={id}>{field.title}</strong>
        <select
          aria-label={t`Operator`}
          value={operator}
          onChange={({ target }) => setOperator(all.find((one) => one === target.value) ?? operator)}
        >
          {all.map((one) => (
            <option key={one} value={one}>
              {formatOperator(one, field.kind)}
            </option>
          ))}
        </select>
      </div>
      {count !== 0 && (
        <ValueInputs
          modelRef={modelRef}
          model={model}
          parameters={parameters}
          field={field}
          count={count}
          values={given}
          onChange={setValues}
        />
      )}
      <button type="submit" className="primary" aria-disabled={isIncomplete}>
        {t`Apply`}
      </button>
    </form>
  );
}
