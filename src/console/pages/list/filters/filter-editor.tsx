import { useState, type ReactNode, type SubmitEvent } from 'react';
import { hasTyped } from '../../../lib/naming.js';
import { SearchField } from '../../../parts/field.js';
import { Icon, SignButton } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { FIELD_ICONS } from '../fields.js';
import { useListState } from '../list-context.js';
import type { FieldFilter, FilterOperator } from './filter.js';
import { countValues, formatOperator, getFilterField, getFilterFields, getOperators } from './operators.js';
import { useLabelKeys } from './use-label-keys.js';
import { ValueInputs } from './value-inputs.js';

interface FilterEditorProps {
  /** Undefined for a new condition. */
  readonly filter: FieldFilter | undefined;
  readonly onApply: (filter: FieldFilter) => void;
}

/** Chooses a field, an operator and values, step by step. */
export default function FilterEditor(props: FilterEditorProps): ReactNode {
  const { filter } = props;
  const [field, setField] = useState(filter?.field);
  if (field === undefined) return <FieldList onChoose={setField} />;
  const onBack = filter === undefined ? () => setField(undefined) : undefined;
  return <ConditionForm key={field} {...props} name={field} onBack={onBack} />;
}

function FieldList({ onChoose }: { readonly onChoose: (field: string) => void }): ReactNode {
  const { modelRef, model } = useListState();
  const [typed, setTyped] = useState('');
  const fields = getFilterFields(model, useLabelKeys(modelRef));
  const found = fields.filter(({ field, title }) => hasTyped(`${title} ${field}`, typed));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const [first] = found;
    if (first !== undefined) onChoose(first.field);
  };
  return (
    <form className="stack tight" onSubmit={submit}>
      <SearchField label={t`Find a field`} typed={typed} hasFocus onType={setTyped} />
      <ul className="tall filter-editor-fields" aria-label={t`Fields`}>
        {found.map(({ field, title, kind }) => (
          <li key={field}>
            <button type="button" title={field} onClick={() => onChoose(field)}>
              <Icon name={FIELD_ICONS[kind]} />
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
  /** Of the field. */
  readonly name: string;
  readonly onBack: (() => void) | undefined;
}

function ConditionForm({ filter, name, onBack, onApply }: ConditionFormProps): ReactNode {
  const field = getFilterField(useListState().model, name);
  const operators = getOperators(field);
  const [operator, setOperator] = useState<FilterOperator>(filter?.operator ?? operators[0] ?? 'is');
  const [values, setValues] = useState<readonly string[]>(filter?.values ?? []);
  const count = countValues(operator);
  const given = count === undefined ? values : Array.from({ length: count }, (_, i) => values[i] ?? '');
  const isIncomplete =
    count === undefined ? values.length === 0 : given.some((one) => one === '' && field.kind !== 'text');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isIncomplete) onApply({ field: name, operator, values: given });
  };
  const all = [...new Set([...operators, operator])];
  return (
    <form className="stack tight" onSubmit={submit}>
      <div className="line">
        {onBack !== undefined && <SignButton icon="arrow-left" label={t`Other field`} onPress={onBack} />}
        <strong className="filter-editor-title">{field.title}</strong>
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
      {count !== 0 && <ValueInputs field={field} count={count} values={given} onChange={setValues} />}
      <button type="submit" className="primary" aria-disabled={isIncomplete}>
        {t`Apply`}
      </button>
    </form>
  );
}
