import type { ReactNode } from 'react';
import type { Table } from '../../api/tables.js';
import { Choice } from '../../parts/field.js';
import { Icon } from '../../parts/icon.js';
import { t } from '../../texts.js';
import {
  getSize,
  isShown,
  SIZES,
  withCursor,
  withPage,
  withParameter,
  withPart,
  withWalk,
} from './parameters.js';

interface ListFooterProps {
  readonly table: Table;
  readonly parameters: URLSearchParams;
  readonly onChange: (parameters: URLSearchParams) => void;
}

/** The displayed part of the list, and the way to other parts: by number, or by cursor, which is as fast at the end. */
export function ListFooter({ table, parameters, onChange }: ListFooterProps): ReactNode {
  const isByCursor = parameters.has('limit') || parameters.has('continue');
  const { total, totalPages } = table;
  const isExplained = isShown(parameters, 'explain');
  return (
    <footer className="list-footer">
      {total > 0 &&
        (isByCursor ? (
          <ByCursor {...{ table, parameters, onChange }} />
        ) : (
          <ByNumber {...{ table, parameters, onChange }} />
        ))}
      {(totalPages > 1 || isByCursor) && (
        <button type="button" className="quiet" onClick={() => onChange(withWalk(parameters, !isByCursor))}>
          {isByCursor ? t`Page numbers` : t`Fast paging`}
        </button>
      )}
      <div className="list-footer-end">
        {!isByCursor && total > 0 && <PageSize parameters={parameters} onChange={onChange} />}
        <button
          type="button"
          className="quiet"
          aria-expanded={isExplained}
          onClick={() => onChange(withPart(parameters, 'explain', isExplained ? undefined : 'true'))}
        >
          {t`Explain`}
        </button>
      </div>
    </footer>
  );
}

interface StepsProps {
  /** Undefined where there is no page. */
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

/** A button without a page keeps the focus. */
function Steps({ onPrevious, onNext }: StepsProps): ReactNode {
  return (
    <>
      <button
        type="button"
        className="quiet list-footer-step"
        aria-label={t`Previous`}
        aria-disabled={onPrevious === undefined}
        onClick={onPrevious}
      >
        <Icon name="arrow-left" />
      </button>
      <button
        type="button"
        className="quiet list-footer-step"
        aria-label={t`Next`}
        aria-disabled={onNext === undefined}
        onClick={onNext}
      >
        <Icon name="arrow-right" />
      </button>
    </>
  );
}

function ByNumber({ table, parameters, onChange }: ListFooterProps): ReactNode {
  const { page, totalPages, hasNext, rows, size, total } = table;
  const first = size === 0 ? 1 : (page - 1) * size + 1;
  const goTo = (to: number) => () => onChange(withPage(parameters, to));
  return (
    <>
      <span>{rows.length === 0 ? t`0 of ${total}` : t`${first}–${first + rows.length - 1} of ${total}`}</span>
      <Steps
        onPrevious={page > 1 ? goTo(page - 1) : undefined}
        onNext={hasNext ? goTo(page + 1) : undefined}
      />
      {totalPages > 1 && <span className="list-footer-page">{t`Page ${page} of ${totalPages}`}</span>}
    </>
  );
}

/** The key in the browser's history state for a part that was reached from the one before; links do not have it. */
const STEP = 'next';

/**
 * A cursor only leads forward; the browser's back button leads to earlier parts. A user who came by a link starts at the beginning.
 */
function ByCursor({ table, parameters, onChange }: ListFooterProps): ReactNode {
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
      <span>{t`${Math.max(last - rows.length + 1, 0)}–${last} of ${total}`}</span>
      <Steps
        onPrevious={parameters.has('continue') ? goBack : undefined}
        onNext={cursor === undefined ? undefined : goOn}
      />
    </>
  );
}

function PageSize({ parameters, onChange }: Omit<ListFooterProps, 'table'>): ReactNode {
  const size = String(getSize(parameters));
  const choices: readonly string[] = SIZES;
  return (
    <Choice
      label={t`Rows`}
      value={size}
      choices={choices.includes(size) ? choices : [...choices, size]}
      className="line"
      onChange={(chosen) => onChange(withParameter(parameters, 'size', chosen))}
    />
  );
}
