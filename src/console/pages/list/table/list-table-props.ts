import type { ModelRef } from '../../../api/models.js';
import type { Table } from '../../../api/tables.js';
import type { ListColumn } from '../columns/columns.js';
import type { Selection } from '../selection.js';
import type { HeaderActions } from './header-cell.js';
import type { RowActions } from './list-row.js';

export interface ListTableProps {
  readonly modelRef: ModelRef;
  /** The name of the list. */
  readonly label: string;
  readonly table: Table;
  /** All known columns. */
  readonly columns: readonly ListColumn[];
  readonly header: HeaderActions;
  readonly selection: Selection;
  /** The row with the tab stop, and the one that is open in the drawer. */
  readonly current: string | undefined;
  readonly open: string | undefined;
  readonly rowActions: RowActions;
  /** True when it is not the requested page. */
  readonly isOld: boolean;
  /** True while the requested page is loading. */
  readonly isLoading: boolean;
}
