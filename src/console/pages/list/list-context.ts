import { createContext, use } from 'react';
import type { Model, ModelRef } from '../../api/models.js';
import type { ColumnChoice } from './columns/choice.js';
import type { ListColumn } from './columns/columns.js';

/** The list of the page, for all of its parts. */
interface ListState {
  readonly modelRef: ModelRef;
  /** Undefined while it is unknown. */
  readonly model: Model | undefined;
  /** Of the URL: the conditions, the order, the page, and what is open. */
  readonly parameters: URLSearchParams;
  /** Those of the displayed rows, also while other rows are loading. Actions are on these rows. */
  readonly rowParameters: URLSearchParams;
  readonly onChange: (parameters: URLSearchParams) => void;
  /** All known columns, and those that are displayed. */
  readonly columns: readonly ListColumn[];
  readonly shown: readonly ListColumn[];
  readonly choice: ColumnChoice;
  readonly setChoice: (choice: ColumnChoice) => void;
}

export const ListContext = createContext<ListState | undefined>(undefined);

export function useListState(): ListState {
  const list = use(ListContext);
  if (list === undefined) throw new Error('this part of a list is outside of the page of the list');
  return list;
}
