import { useId, useState, type ReactNode } from 'react';
import { stringify } from 'yaml';
import { mergedText, type ChangedField, type Side } from '../../../editor/merge.js';
import { text } from '../../../texts.js';

interface FieldMergeProps {
  readonly mine: string;
  readonly fields: readonly ChangedField[];
  readonly onMerge: (merged: string) => void;
}

const SIDES: readonly Side[] = ['mine', 'theirs'];

/** The fields that one user, or both, changed, and the choice of values. */
export function FieldMerge({ mine, fields, onMerge }: FieldMergeProps): ReactNode {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Side>>(new Map());
  const findSide = (field: ChangedField): Side | undefined => chosen.get(getKey(field)) ?? field.by;
  const left = fields.filter((field) => findSide(field) === undefined).length;
  return (
    <>
      <div className="scroll merge" role="region" aria-label={text.merge.label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {[text.merge.field, text.merge.before, text.merge.mine, text.merge.theirs].map((name) => (
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
      <p role="status">{left === 0 ? text.merge.decided : text.merge.undecided(left)}</p>
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={left > 0}
          onClick={() => onMerge(mergedText(mine, fields, (field) => findSide(field) ?? 'mine'))}
        >
          {text.merge.use}
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
              aria-label={text.merge[one === 'mine' ? 'takeMine' : 'takeTheirs'](name)}
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
  if (value === undefined) return <span className="faint">{text.merge.absent}</span>;
  return <code className="value">{stringify(value, { lineWidth: 0 }).trimEnd()}</code>;
}

const getKey = ({ path }: ChangedField): string => JSON.stringify(path);
