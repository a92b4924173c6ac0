import { t } from '../../texts.js';

/** A key of a page, and what it does. */
export interface KeyHelp {
  readonly keys: string;
  readonly what: () => string;
}

/** The keys of lists, for the help. */
export const LIST_KEYS: readonly KeyHelp[] = [
  { keys: '/', what: () => t`Search` },
  { keys: 'N', what: () => t`Create` },
  { keys: 'J K ↓ ↑', what: () => t`Next and previous row` },
  { keys: '→ ←', what: () => t`Links of the row` },
  { keys: 'Enter', what: () => t`Open` },
  { keys: 'X', what: () => t`Select` },
  { keys: 'E', what: () => t`Edit` },
  { keys: '[ ]', what: () => t`Previous and next object` },
  { keys: 'Esc', what: () => t`Close` },
];
