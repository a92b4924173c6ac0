import { Fragment, useState, type ReactNode } from 'react';
import { hasTyped } from '../../lib/naming.js';
import { SearchField } from '../../parts/field.js';
import { SimpleTable, type Column } from '../../parts/simple-table.js';
import { t } from '../../texts.js';
import type { Subject } from '../../api/platform/access.js';
import { BOARD_URL, getGroupUrl, getUserUrl } from './place.js';

interface AccessHeadProps {
  readonly title: string;
  /** A name for people; empty without one. */
  readonly note?: string;
  readonly children?: ReactNode;
}

/** The heading of a user or a role, and the way back. */
export function AccessHead({ title, note = '', children }: AccessHeadProps): ReactNode {
  return (
    <div className="stack tight below">
      <a href={BOARD_URL}>{t`Access`}</a>
      <div className="row spread">
        <div className="row">
          <h1>{title}</h1>
          {note !== '' && <span className="faint">{note}</span>}
        </div>
        <div className="actions">{children}</div>
      </div>
    </div>
  );
}

const NAMES_MAX = 6;

interface LinksProps {
  readonly names: readonly string[];
  readonly getUrl: (name: string) => string;
}

/** The first names as links. */
export function Links({ names, getUrl }: LinksProps): ReactNode {
  if (names.length === 0) return <span className="faint">{t`none`}</span>;
  return (
    <span className={names.length > 1 ? 'access-links' : undefined}>
      {names.slice(0, NAMES_MAX).map((name, i) => (
        <Fragment key={name}>
          {i > 0 && ', '}
          <a href={getUrl(name)}>{name}</a>
        </Fragment>
      ))}
      {names.length > NAMES_MAX && <span className="faint"> {t`and ${names.length - NAMES_MAX} more`}</span>}
    </span>
  );
}

/** Users and groups as links. */
export function SubjectLinks({ subjects }: { readonly subjects: readonly Subject[] }): ReactNode {
  const namesOf = (kind: Subject['kind']): readonly string[] =>
    subjects.flatMap((one) => (one.kind === kind ? one.name : []));
  const [users, groups] = [namesOf('User'), namesOf('Group')];
  if (groups.length === 0) return <Links names={users} getUrl={getUserUrl} />;
  return (
    <>
      {users.length > 0 && <Links names={users} getUrl={getUserUrl} />}{' '}
      <span className="faint">{t`Groups`}:</span> <Links names={groups} getUrl={getGroupUrl} />
    </>
  );
}

/** Rows before `Show all`, and without a search. */
const ROWS_MAX = 20;

interface FoundTableProps<R> {
  readonly label: string;
  readonly searchLabel: string;
  readonly rows: readonly R[];
  /** The text in which the search looks. */
  readonly getText: (row: R) => string;
  readonly getKey: (row: R) => string;
  readonly columns: readonly Column<R>[];
}

/** A table; with a search when it has many rows, of which the first are displayed. */
export function FoundTable<R>(props: FoundTableProps<R>): ReactNode {
  const { label, searchLabel, rows, getText, getKey, columns } = props;
  const [typed, setTyped] = useState('');
  const [isWhole, setIsWhole] = useState(false);
  const found = rows.filter((row) => hasTyped(getText(row), typed));
  const shown = isWhole ? found : found.slice(0, ROWS_MAX);
  if (rows.length === 0) return <p className="faint">{t`none`}</p>;
  return (
    <div className="stack tight">
      {rows.length > ROWS_MAX && <SearchField label={searchLabel} typed={typed} onType={setTyped} />}
      {shown.length === 0 && <p className="faint">{t`No matches.`}</p>}
      {shown.length > 0 && <SimpleTable label={label} rows={shown} getKey={getKey} columns={columns} />}
      {shown.length < found.length && (
        <button type="button" className="add" onClick={() => setIsWhole(true)}>
          {t`Show all ${found.length}`}
        </button>
      )}
    </div>
  );
}
