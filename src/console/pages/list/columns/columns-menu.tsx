import { useState, type ReactNode } from 'react';
import { labelField } from '../../../api/selectors.js';
import { Choice } from '../../../parts/field.js';
import { Icon } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { getFieldIcon, getFieldTitle, getKindOfSchema, getScalarPaths, type FieldKind } from '../fields.js';
import { useLabelKeys } from '../filters/use-label-keys.js';
import { getSort, SEARCH, getConditions, sortableFields, withParameter } from '../parameters.js';
import { NO_CHOICE, withMove, withShown } from './choice.js';
import type { ColumnsProps } from './columns-props.js';
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
export default function ColumnsMenu(props: ColumnsProps): ReactNode {
  const { shown, choice, setChoice } = props;
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  const isWanted = ({ id, title }: Candidate): boolean => `${title} ${id}`.toLowerCase().includes(wanted);
  const ids = shown.map(({ id }) => id);
  const candidates = useCandidates(props);
  const others = candidates.filter((one) => !ids.includes(one.id) && isWanted(one));
  const own = shown.filter((one) => one.id !== NAME && isWanted(one));
  return (
    <>
      <input
        type="search"
        autoFocus
        aria-label={t`Find a field`}
        placeholder={t`Find a field`}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <div className="columns-menu-lists">
        <ul aria-label={t`Shown columns`}>
          {own.map(({ id, title, kind }) => (
            <li key={id} className="columns-menu-line">
              <Check
                title={title}
                id={id}
                kind={kind}
                isOn
                onChange={() =>
                  setChoice(
                    withShown(
                      choice,
                      ids.filter((one) => one !== id),
                    ),
                  )
                }
              />
              <button
                type="button"
                className="quiet sign"
                aria-label={t`Move ${title} left`}
                onClick={() => setChoice(withMove(choice, ids, id, -1))}
              >
                <span aria-hidden="true">↑</span>
              </button>
              <button
                type="button"
                className="quiet sign"
                aria-label={t`Move ${title} right`}
                onClick={() => setChoice(withMove(choice, ids, id, 1))}
              >
                <span aria-hidden="true">↓</span>
              </button>
            </li>
          ))}
        </ul>
        <ul aria-label={t`Other fields`} className="columns-menu-others">
          {others.slice(0, FIELDS_MAX).map(({ id, title, kind }) => (
            <li key={id} className="columns-menu-line">
              <Check
                title={title}
                id={id}
                kind={kind}
                isOn={false}
                onChange={() => setChoice(withShown(choice, [...ids, id]))}
              />
            </li>
          ))}
          {others.length > FIELDS_MAX && (
            <li className="faint">{t`and ${others.length - FIELDS_MAX} more`}</li>
          )}
        </ul>
      </div>
      <div className="columns-menu-end">
        <SortBy {...props} />
        <button type="button" className="quiet" onClick={() => setChoice(NO_CHOICE)}>
          {t`Reset`}
        </button>
      </div>
    </>
  );
}

interface CheckProps extends Candidate {
  readonly isOn: boolean;
  readonly onChange: () => void;
}

function Check({ id, title, kind, isOn, onChange }: CheckProps): ReactNode {
  return (
    <label title={id}>
      <input type="checkbox" checked={isOn} onChange={onChange} />
      <Icon name={getFieldIcon(kind)} />
      <span className="columns-menu-title">{title}</span>
    </label>
  );
}

/** Known columns first, then the other fields of the schema, and labels. */
function useCandidates({ modelRef, model, columns }: ColumnsProps): readonly Candidate[] {
  const keys = useLabelKeys(modelRef, true);
  const known = columns.filter(({ id }) => id !== NAME);
  const fields = model === undefined ? [] : getScalarPaths(model.schema);
  const all: readonly Candidate[] = [
    ...known,
    ...fields.map(({ path, schema }) => ({
      id: path,
      title: getFieldTitle(model, path),
      kind: getKindOfSchema(schema),
    })),
    ...keys.map((key) => ({ id: labelField(key), title: key, kind: 'label' as const })),
  ];
  return [...new Map(all.toReversed().map((one) => [one.id, one])).values()].toReversed();
}

/** Includes indexes without a column. */
function SortBy({ model, parameters, onChange }: ColumnsProps): ReactNode {
  const usual = getConditions(parameters).has(SEARCH) ? t`Relevance (default)` : t`Name (default)`;
  return (
    <Choice
      label={t`Sort by`}
      value={getSort(parameters, model)?.field ?? ''}
      choices={[
        ['', usual],
        ...sortableFields(model).map((field) => [field, getFieldTitle(model, field)] as const),
      ]}
      className="line"
      onChange={(field) => onChange(withParameter(parameters, 'sort', field))}
    />
  );
}
