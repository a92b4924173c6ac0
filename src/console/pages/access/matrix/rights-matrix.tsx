import { useState, type ReactNode, type SubmitEvent } from 'react';
import { storedModels, useModels } from '../../../api/models.js';
import { USERS } from '../../../api/platform/access.js';
import { SearchField, TextField } from '../../../parts/field.js';
import { t } from '../../../texts.js';
import {
  ALL,
  getState,
  keyOf,
  MODEL_VERBS,
  PATH_VERBS,
  rowOf,
  type Cells,
  type ResourceRow,
  type Row,
} from './cells.js';
import { cellOf } from './edits.js';
import { MatrixTable, type Mark } from './matrix-table.js';
import { NewRow } from './new-row.js';
import { getSections, isMeantRow } from './rows.js';

interface MatrixProps {
  readonly cells: Cells;
  /** Keys of rows that are shown also without a right. */
  readonly added: readonly string[];
  /** Cells that the service refused. */
  readonly refused: ReadonlySet<string>;
  readonly isReadOnly: boolean;
  readonly onAdd: (key: string) => void;
  readonly onToggle: (key: string, verb: string) => void;
}

const OF_MODELS = [ALL, ...MODEL_VERBS] as const;

/** The rights of a role on models. */
export function ModelMatrix(props: MatrixProps): ReactNode {
  const { cells, added, isReadOnly, onAdd, onToggle } = props;
  const models = storedModels(useModels().data ?? []);
  const [typed, setTyped] = useState('');
  const parts = getSections(models, [...cells.keys(), ...added])
    .map(({ group, rows }) => ({
      title: getTitle(group),
      lines: rows
        .filter((row) => isMeantRow(row, typed))
        .map((row) => ({ id: keyOf(row), label: getLabel(row), marks: getMarks(row, OF_MODELS, props) })),
    }))
    .filter(({ lines }) => lines.length > 0);
  return (
    <div className="stack tight">
      <div className="row spread">
        <SearchField label={t`Find a model`} typed={typed} onType={setTyped} />
        {!isReadOnly && <NewRow models={models} onAdd={onAdd} />}
      </div>
      <MatrixTable
        label={t`Rights on models`}
        rowHeading={t`Model`}
        verbs={OF_MODELS}
        parts={parts}
        empty={t`No matches.`}
        isReadOnly={isReadOnly}
        onToggle={onToggle}
      />
    </div>
  );
}

const OF_PATHS = [ALL, ...PATH_VERBS] as const;

/** The rights of a role on paths that belong to no model, by HTTP method. */
export function PathMatrix(props: MatrixProps): ReactNode {
  const { cells, added, isReadOnly, onAdd, onToggle } = props;
  const [path, setPath] = useState('');
  const lines = [...new Set([...cells.keys(), ...added])]
    .map(rowOf)
    .filter((row) => 'path' in row)
    .map((row) => ({ id: keyOf(row), label: row.path, marks: getMarks(row, OF_PATHS, props) }));
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    if (path === '') return;
    onAdd(keyOf({ path }));
    setPath('');
  };
  return (
    <div className="stack tight">
      <MatrixTable
        label={t`Rights on paths`}
        rowHeading={t`Path`}
        verbs={OF_PATHS}
        parts={[{ title: '', lines }]}
        empty={t`none`}
        isReadOnly={isReadOnly}
        onToggle={onToggle}
      />
      {!isReadOnly && (
        <form className="row role-editor-path" onSubmit={add}>
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

/** The marks of a row, see {@link Mark}. */
function getMarks(row: Row, verbs: readonly string[], { cells, refused }: MatrixProps): string {
  const getMark = (verb: string): Mark => {
    const state = getState(cells, row, verb);
    if (state === 'own') return refused.has(cellOf(keyOf(row), verb)) ? 'r' : 'o';
    if (state === 'implied') return 'i';
    // Only objects of access can give rights to others.
    const isOfAccess = 'path' in row || row.group === ALL || row.group === USERS.group;
    return verb === 'escalate' && !isOfAccess ? ' ' : 'n';
  };
  return verbs.map(getMark).join('');
}

function getTitle(group: string): string {
  if (group === ALL) return t`All groups`;
  return group === '' ? t`Without a group` : group;
}

function getLabel({ group, resource, names }: ResourceRow): string {
  const ofGroup = group === ALL ? t`All models` : t`All models of this group`;
  const models = resource === ALL ? ofGroup : resource;
  return names.length === 0 ? models : t`${models}: only ${names.join(', ')}`;
}
