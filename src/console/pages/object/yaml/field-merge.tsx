import { useId, useState, type ReactNode } from 'react';
import { stringify } from 'yaml';
import { mergedText, type ChangedField, type Side } from '../../../editor/merge.js';
import { t } from '../../../texts.js';

interface FieldMergeProps {
  readonly mine: string;
  readonly fields: readonly ChangedField[];
  readonly isSaving: boolean;
  readonly onMerge: (merged: string) => void;
}

const SIDES: readonly Side[] = ['mine', 'theirs'];

/** The fields that one user, or both, changed, and the choice of values. */
export function FieldMerge({ mine, fields, isSaving, onMerge }: FieldMergeProps): ReactNode {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Side>>(new Map());
  const findSide = (field: ChangedField): Side | undefined => chosen.get(getKey(field)) ?? field.by;
  const left = fields.filter((field) => findSide(field) === undefined).length;
  return (
    <>
      <div className="scroll merge" role="region" aria-label={t`Fields that were changed`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {[t`Field`, t`Before`, t`Mine`, t`Theirs`].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <FieldRow
                key={getKey(field)}
                field={field}
                side={findSide(field)}
                onChoose={(side) => setChosen(new Map([...chosen, [getKey(field), side]]))}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p role="status">
        {left === 0
          ? t`Each field has a side.`
          : t`Both of you changed ${left} [field: choose a side.|fields: choose a side for each.]`}
      </p>
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={left > 0 || isSaving}
          onClick={() => onMerge(mergedText(mine, fields, (field) => findSide(field) ?? 'mine'))}
        >
          {t`Save merged`}
        </button>
      </div>
    </>
  );
}

interface FieldRowProps {
  readonly field: ChangedField;
  readonly side: Side | undefined;
  readonly onChoose: (side: Side) => void;
}

function FieldRow({ field, side, onChoose }: FieldRowProps): ReactNode {
  const id = useId();
  const name = field.path.join('.');
  return (
    <tr className={side === undefined ? 'undecided' : undefined}>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td>
        <Value value={field.base} />
      </td>
      {SIDES.map((one) => (
        <td key={one}>
          <label>
            <input
              type="radio"
              name={id}
              aria-label={one === 'mine' ? t`Mine for ${name}` : t`Theirs for ${name}`}
              checked={side === one}
              onChange={() => onChoose(one)}
            />
            <Value value={field[one]} />
          </label>
        </td>
      ))}
    </tr>
  );
}

function Value({ value }: { readonly value: unknown }): ReactNode {
  if (value === undefined) return <span className="faint">{t`not set`}</span>;
  return <code className="value tall">{stringify(value, { lineWidth: 0 }).trimEnd()}</code>;
}

const getKey = ({ path }: ChangedField): string => JSON.stringify(path);
