import type { ModelRef } from '../../../api/models.js';
import type { HeaderActions } from '../table/header-cell.js';
import type { ListColumn } from './columns.js';

export interface ColumnsProps extends HeaderActions {
  readonly modelRef: ModelRef;
  /** All known columns. */
  readonly columns: readonly ListColumn[];
}
