import type { ReactNode } from 'react';
import type { Table } from '../../api/tables.js';
import { Choice } from '../../parts/field.js';
import { t } from '../../texts.js';
import { SIZES, getSize, withCursor, withPage, withParameter, withWalk } from './parameters.js';

interface PagerProps {
  readonly table: Table;
  readonly parameters: URLSearchParams;
  readonly onChange: (parameters: URLSearchParams) => void;
}

/** Links to other pages: by number, or by cursor, which has constant speed and a stable place during writes. */
export function Pager({ table, parameters, onChange }: PagerProps): ReactNode {
  const isByCursor = parameters.has('limit') || parameters.has('continue');
  return (
    <div className="actions">
      {isByCursor ? (
        <ByCursor table={table} parameters={parameters} onChange={onChange} />
      ) : (
        <ByNumber table={table} parameters={parameters} onChange={onChange} />
      )}
      {(table.totalPages > 1 || isByCursor) && (
        <button type="button" className="quiet" onClick={() => onChange(withWalk(parameters, !isByCursor))}>
          {isByCursor ? t`Back to page numbers` : t`Walk without page numbers`}
        </button>
      )}
      {!isByCursor && <PageSize parameters={parameters} onChange={onChange} />}
    </div>
  );
}

function ByNumber({ table, parameters, onChange }: PagerProps): ReactNode {
  const { page, totalPages, hasNext } = table;
  return (
    <>
      <button type="button" disabled={page <= 1} onClick={() => onChange(withPage(parameters, page - 1))}>
        {t`Previous`}
      </button>
      <span>{t`Page ${page} of ${Math.max(totalPages, 1)}`}</span>
      <button type="button" disabled={!hasNext} onClick={() => onChange(withPage(parameters, page + 1))}>
        {t`Next`}
      </button>
    </>
  );
}

/** The key in the browser's history state for a part that was reached from the one before; links do not have it. */
const STEP = 'next';

/**
 * A cursor only leads forward; the browser's back button leads to earlier parts. A user who came by a link starts at the beginning.
 */
function ByCursor({ table, parameters, onChange }: PagerProps): ReactNode {
  const { rows, total, metadata } = table;
  const cursor = metadata.continue;
  const last = total - (metadata.remainingItemCount ?? 0);
  const goBack = (): void =>
    history.state === STEP ? history.back() : onChange(withCursor(parameters, undefined));
  const goOn = (): void => {
    onChange(withCursor(parameters, cursor));
    history.replaceState(STEP, '');
  };
  return (
    <>
      <button type="button" disabled={!parameters.has('continue')} onClick={goBack}>
        {t`Previous`}
      </button>
      <span>{t`${Math.max(last - rows.length + 1, 0)}–${last} of ${total}`}</span>
      <button type="button" disabled={cursor === undefined} onClick={goOn}>
        {t`Next`}
      </button>
    </>
  );
}

function PageSize({ parameters, onChange }: Omit<PagerProps, 'table'>): ReactNode {
  const size = String(getSize(parameters));
  const choices: readonly string[] = SIZES;
  return (
    <Choice
      label={t`Rows`}
      value={size}
      choices={choices.includes(size) ? choices : [...choices, size]}
      className="line end"
      onChange={(chosen) => onChange(withParameter(parameters, 'size', chosen))}
    />
  );
}
