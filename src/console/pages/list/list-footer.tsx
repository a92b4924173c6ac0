import type { ReactNode } from 'react';
import type { Table } from '../../api/tables.js';
import { Choice } from '../../parts/field.js';
import { SignButton } from '../../parts/icon.js';
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

interface PartProps {
  /** The place of the rows in the list. */
  readonly place: string;
  /** Undefined where there is no page. */
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

/** The displayed part, and the steps to those beside it. A button without a page keeps the focus. */
function Part({ place, onPrevious, onNext }: PartProps): ReactNode {
  const steps = [
    [t`Previous`, 'arrow-left', onPrevious],
    [t`Next`, 'arrow-right', onNext],
  ] as const;
  return (
    <>
      <span>{place}</span>
      {steps.map(([label, icon, onStep]) => (
        <SignButton key={icon} icon={icon} label={label} isDisabled={onStep === undefined} onPress={onStep} />
      ))}
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
      <Part
        place={rows.length === 0 ? t`0 of ${total}` : t`${first}–${first + rows.length - 1} of ${total}`}
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
function ByCursor({ table: { rows, total, metadata } }: ListFooterProps): ReactNode {
  const { parameters, onChange } = useListState();
  const last = total - (metadata.remainingItemCount ?? 0);
  const goTo = (cursor: string | undefined): void => onChange(withValues(parameters, { continue: cursor }));
  const goBack = (): void => (history.state === STEP ? history.back() : goTo(undefined));
  const goOn = (): void => {
    goTo(metadata.continue);
    history.replaceState(STEP, '');
  };
  return (
    <Part
      place={t`${Math.max(last - rows.length + 1, 0)}–${last} of ${total}`}
      onPrevious={parameters.has('continue') ? goBack : undefined}
      onNext={metadata.continue === undefined ? undefined : goOn}
    />
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
