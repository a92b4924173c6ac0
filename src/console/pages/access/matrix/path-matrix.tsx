import { useState, type ReactNode, type SubmitEvent } from 'react';
import { TextField } from '../../../parts/field.js';
import { t } from '../../../texts.js';
import { ALL, getState, keyOf, PATH_VERBS, rowOf } from './cells.js';
import { cellOf } from './edits.js';
import { MatrixTable } from './matrix-table.js';
import type { MatrixProps } from './model-matrix.js';

const VERBS = [ALL, ...PATH_VERBS] as const;

/** The rights of a role on paths that belong to no model, by HTTP method. */
export function PathMatrix({ cells, added, refused, isReadOnly, onAdd, onToggle }: MatrixProps): ReactNode {
  const [path, setPath] = useState('');
  const rows = [...new Set([...cells.keys(), ...added])].map(rowOf).filter((row) => 'path' in row);
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    if (path === '') return;
    onAdd(keyOf({ path }));
    setPath('');
  };
  const lines = rows.map((row) => ({
    id: keyOf(row),
    label: row.path,
    marks: VERBS.map((verb) => {
      const state = getState(cells, row, verb);
      if (state === 'own') return refused.has(cellOf(keyOf(row), verb)) ? 'r' : 'o';
      return state === 'implied' ? 'i' : 'n';
    }).join(''),
  }));
  return (
    <div className="stack tight">
      {lines.length === 0 && <p className="faint">{t`none`}</p>}
      {lines.length > 0 && (
        <MatrixTable
          label={t`Rights on paths`}
          rowHeading={t`Path`}
          verbs={VERBS}
          parts={[{ title: '', lines }]}
          isReadOnly={isReadOnly}
          onToggle={onToggle}
        />
      )}
      {!isReadOnly && (
        <form className="role-editor-path" onSubmit={add}>
          <TextField
            label={t`Path, which may end with *`}
            value={path}
            onChange={(text) => setPath(text.trim())}
          />
          <button type="submit">{t`Add`}</button>
        </form>
      )}
    </div>
  );
}
