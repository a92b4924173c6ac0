import type { ReactNode } from 'react';
import { t } from '../../texts.js';
import type { ListColumn } from './columns/columns.js';
import { ColumnsButton } from './columns/columns-button.js';
import { usualFacets } from './facets/usual-facets.js';
import { isShown, withPart } from './parameters.js';
import type { HeaderActions } from './table/header-cell.js';

interface ListToolsProps extends HeaderActions {
  /** All known columns. */
  readonly columns: readonly ListColumn[];
  readonly modelRef: Parameters<typeof ColumnsButton>[0]['modelRef'];
}

/** Opens what belongs to the list: the values of its fields, and its columns. */
export function ListTools(props: ListToolsProps): ReactNode {
  const { model, parameters, onChange } = props;
  const isOpen = isShown(parameters, 'facets');
  return (
    <>
      <button
        type="button"
        className="quiet"
        aria-expanded={isOpen}
        onClick={() => onChange(withPart(parameters, 'facets', isOpen ? undefined : usualFacets(model)))}
      >
        {t`Values`}
      </button>
      <ColumnsButton {...props} />
    </>
  );
}
