import type { ReactNode } from 'react';
import type { Table } from '../../api/tables.js';
import { Choice } from '../../parts/field.js';
import { Icon } from '../../parts/icon.js';
import { t } from '../../texts.js';
import { useListState } from './list-context.js';
import { getSize, SIZES, withParameter, withValues, withWalk } from './parameters.js';

interface ListFooterProps {
  readonly table: Table;
}

/** The displayed part of the list, and the way to other parts: by number, or by cursor, which is as fast at the end. */
export function ListFooter({ table }: ListFooterProps): ReactNode {
  const { parameters, onChange } = useListState();
  const isByCursor = parameters.has('limit') || parameters.has('continue');
  const { total, totalPages } = table;
  const isExplained = parameters.has('explain');
  return (
    <footer className="row list-footer">
      {total > 0 && (isByCursor ? <ByCursor table={table} /> : <ByNumber table={table} />)}
      {(totalPages > 1 || isByCursor) && (
        <button type="button" className="quiet" onClick={() => onChange(withWalk(parameters, !isByCursor))}>
          {isByCursor ? t`Page numbers` : t`Fast paging`}
        </button>
      )}
      <div className="line end">
        {!isByCursor && total > 0 && <PageSize />}
        <button
          type="button"
          className="quiet"
          aria-expanded={isExplained}
          onClick={() => onChange(withValues(parameters, { explain: isExplained ? undefined : 'true' }))}
        >
          {t`Explain`}
        </button>
      </div>
    </footer>
  );
}

interface StepProps {
  readonly label: string;
  readonly icon: string;
  /** Undefined where there is no page. */
  readonly onStep: (() => void) | undefined;
}

/** A button without a page keeps the focus. */
function Step({ label, icon, onStep }: StepProps): ReactNode {
  return (
    <button
      type="button"
      className="quiet sign"
      aria-label={label}
      aria-disabled={onStep === undefined}
      onClick={onStep}
    >
      <Icon name={icon} />
    </button>
  );
}

interface StepsProps {
  readonly onPrevious: StepProps['onStep'];
  readonly onNext: StepProps['onStep'];
}

function Steps({ onPrevious, onNext }: StepsProps): ReactNode {
  return (
    <>
      <Step label={t`Previous`} icon="arrow-left" onStep={onPrevious} />
      <Step label={t`Next`} icon="arrow-right" onStep={onNext} />
    </>
  );
}

function ByNumber({ table }: ListFooterProps): ReactNode {
  const { parameters, onChange } = useListState();
  const { page, totalPages, hasNext, rows, size, total } = table;
  const first = size === 0 ? 1 : (page - 1) * size + 1;
  const goTo = (to: number) => () =>
    onChange(withValues(parameters, { page: to === 1 ? undefined : String(to) }));
  return (
    <>
      <span>{rows.length === 0 ? t`0 of ${total}` : t`${first}–${first + rows.length - 1} of ${total}`}</span>
      <Steps
        onPrevious={page > 1 ? goTo(page - 1) : undefined}
        onNext={hasNext ? goTo(page + 1) : undefined}
      />
      {totalPages > 1 && <span>{t`Page ${page} of ${totalPages}`}</span>}
    </>
  );
}

/** The key in the browser's history state for a part that was reached from the one before; links do not have it. */
const STEP = 'next';

/**
 * A cursor only leads forward; the browser's back button leads to earlier parts. A user who came by a link starts at the beginning.
 */
function ByCursor({ table }: ListFooterProps): ReactNode {
  const { parameters, onChange } = useListState();
  const { rows, total, metadata } = table;
  const cursor = metadata.continue;
  const last = total - (metadata.remainingItemCount ?? 0);
  const goTo = (to: string | undefined): void => onChange(withValues(parameters, { continue: to }));
  const goBack = (): void => (history.state === STEP ? history.back() : goTo(undefined));
  const goOn = (): void => {
    goTo(cursor);
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

function PageSize(): ReactNode {
  const { parameters, onChange } = useListState();
  const size = String(getSize(parameters));
  return (
    <Choice
      label={t`Rows`}
      value={size}
      choices={[...new Set([...SIZES, size])]}
      className="line"
      onChange={(chosen) => onChange(withParameter(parameters, 'size', chosen))}
    />
  );
}
