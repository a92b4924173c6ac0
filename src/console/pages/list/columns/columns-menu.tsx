import { useState, type ReactNode } from 'react';
import { labelField } from '../../../api/selectors.js';
import { hasTyped } from '../../../lib/naming.js';
import { Choice, SearchField } from '../../../parts/field.js';
import { Icon, SignButton } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { FIELD_ICONS, getFieldTitle, getKind, getScalarPaths, type FieldKind } from '../fields.js';
import { useLabelKeys } from '../filters/use-label-keys.js';
import { useListState } from '../list-context.js';
import { getSort, SEARCH, getConditions, sortableFields, withParameter } from '../parameters.js';
import { NO_CHOICE, withMove, withoutColumn, withShown } from './choice.js';
import { NAME } from './columns.js';

/** The most fields that are listed at once; a search leads to the others. */
const FIELDS_MAX = 100;

/** A column that can be displayed. */
interface Candidate {
  readonly id: string;
  readonly title: string;
  readonly kind: FieldKind;
}

/** The displayed columns in their order, and all other fields and labels of the model. */
export default function ColumnsMenu(): ReactNode {
  const { shown, choice, setChoice } = useListState();
  const [typed, setTyped] = useState('');
  const isMeant = ({ id, title }: Candidate): boolean => hasTyped(`${title} ${id}`, typed);
  const ids = shown.map(({ id }) => id);
  const others = useCandidates().filter((one) => !ids.includes(one.id) && isMeant(one));
  const own = shown.filter((one) => one.id !== NAME && isMeant(one));
  return (
    <div className="stack tight">
      <SearchField label={t`Find a field`} typed={typed} hasFocus onType={setTyped} />
      <div className="columns-menu-lists">
        <ul aria-label={t`Shown columns`}>
          {own.map((column) => (
            <li key={column.id} className="line">
              <Check column={column} isOn onChange={() => setChoice(withoutColumn(choice, ids, column.id))} />
              <SignButton
                icon="arrow-up"
                label={t`Move ${column.title} left`}
                onPress={() => setChoice(withMove(choice, ids, column.id, -1))}
              />
              <SignButton
                icon="arrow-down"
                label={t`Move ${column.title} right`}
                onPress={() => setChoice(withMove(choice, ids, column.id, 1))}
              />
            </li>
          ))}
        </ul>
        <ul aria-label={t`Other fields`} className="columns-menu-others">
          {others.slice(0, FIELDS_MAX).map((column) => (
            <li key={column.id}>
              <Check
                column={column}
                isOn={false}
                onChange={() => setChoice(withShown(choice, [...ids, column.id]))}
              />
            </li>
          ))}
          {others.length > FIELDS_MAX && (
            <li className="faint">{t`and ${others.length - FIELDS_MAX} more`}</li>
          )}
        </ul>
      </div>
      <div className="line spread">
        <SortBy />
        <button type="button" className="quiet" onClick={() => setChoice(NO_CHOICE)}>
          {t`Reset`}
        </button>
      </div>
    </div>
  );
}

interface CheckProps {
  readonly column: Candidate;
  readonly isOn: boolean;
  readonly onChange: () => void;
}

function Check({ column: { id, title, kind }, isOn, onChange }: CheckProps): ReactNode {
  return (
    <label title={id} className="line columns-menu-check">
      <input type="checkbox" checked={isOn} onChange={onChange} />
      <Icon name={FIELD_ICONS[kind]} />
      <span>{title}</span>
    </label>
  );
}

/** Known columns first, then the other fields of the schema, and labels. */
function useCandidates(): readonly Candidate[] {
  const { modelRef, model, columns } = useListState();
  const keys = useLabelKeys(modelRef);
  const known = columns.filter(({ id }) => id !== NAME);
  const { schema = {} } = model ?? {};
  const fields = getScalarPaths(schema).map((id) => ({
    id,
    title: getFieldTitle(model, id),
    kind: getKind(schema, id),
  }));
  const labels = keys.map((key) => ({ id: labelField(key), title: key, kind: 'label' as const }));
  const all: readonly Candidate[] = [...known, ...fields, ...labels];
  return [...new Map(all.toReversed().map((one) => [one.id, one])).values()].toReversed();
}

/** Includes indexes without a column. */
function SortBy(): ReactNode {
  const { model, parameters, onChange } = useListState();
  const usual = getConditions(parameters).has(SEARCH) ? t`Relevance (default)` : t`Name (default)`;
  const fields = sortableFields(model).map((field) => [field, getFieldTitle(model, field)] as const);
  return (
    <Choice
      label={t`Sort by`}
      value={getSort(parameters, model)?.field ?? ''}
      choices={[['', usual], ...fields]}
      className="line"
      onChange={(field) => onChange(withParameter(parameters, 'sort', field))}
    />
  );
}
