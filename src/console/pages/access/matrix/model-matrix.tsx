import { useState, type ReactNode } from 'react';
import { storedModels, useModels } from '../../../api/models.js';
import { USERS } from '../../../api/platform/access.js';
import { ModelSearch } from '../../../parts/models/model-search.js';
import { t } from '../../../texts.js';
import { ALL, getState, keyOf, MODEL_VERBS, type Cells } from './cells.js';
import { cellOf } from './edits.js';
import { MatrixTable, type Mark } from './matrix-table.js';
import { NewRow } from './new-row.js';
import { getSections, isMeantRow, type ResourceRow } from './rows.js';

const VERBS = [ALL, ...MODEL_VERBS] as const;

export interface MatrixProps {
  readonly cells: Cells;
  /** Keys of rows that are shown also without a right. */
  readonly added: readonly string[];
  /** Cells that the service refused. */
  readonly refused: ReadonlySet<string>;
  readonly isReadOnly: boolean;
  readonly onAdd: (key: string) => void;
  readonly onToggle: (key: string, verb: string) => void;
}

/** The rights of a role on models. */
export function ModelMatrix({ cells, added, refused, isReadOnly, onAdd, onToggle }: MatrixProps): ReactNode {
  const models = storedModels(useModels().data ?? []);
  const [typed, setTyped] = useState('');
  const parts = getSections(models, [...cells.keys(), ...added])
    .map(({ group, rows }) => ({
      title: getTitle(group),
      lines: rows
        .filter((row) => isMeantRow(row, typed))
        .map((row) => ({
          id: keyOf(row),
          label: getLabel(row),
          marks: VERBS.map((verb) => getMark(row, verb, cells, refused)).join(''),
        })),
    }))
    .filter(({ lines }) => lines.length > 0);
  return (
    <div className="stack tight">
      <div className="row spread">
        <ModelSearch typed={typed} onType={setTyped} />
        {!isReadOnly && <NewRow models={models} onAdd={onAdd} />}
      </div>
      {parts.length === 0 && <p className="faint">{t`No matches.`}</p>}
      {parts.length > 0 && (
        <MatrixTable
          label={t`Rights on models`}
          rowHeading={t`Model`}
          verbs={VERBS}
          parts={parts}
          isReadOnly={isReadOnly}
          onToggle={onToggle}
        />
      )}
    </div>
  );
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

function getMark(row: ResourceRow, verb: string, cells: Cells, refused: ReadonlySet<string>): Mark {
  const state = getState(cells, row, verb);
  if (state === 'own') return refused.has(cellOf(keyOf(row), verb)) ? 'r' : 'o';
  if (state === 'implied') return 'i';
  // Only objects of access can give rights to others.
  return verb === 'escalate' && row.group !== ALL && row.group !== USERS.group ? ' ' : 'n';
}
