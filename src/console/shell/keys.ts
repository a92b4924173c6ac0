import { Store } from '../lib/store.js';
import { t } from '../texts.js';

/** A key, and what it does. */
interface ShownKey {
  /** Each is one way: `Ctrl K`. */
  readonly keys: readonly string[];
  readonly what: () => string;
  /** The part of the page in which it works. */
  readonly where: () => string;
}

const everywhere = (): string => t`Everywhere`;
const inLists = (): string => t`In lists`;
const inRecord = (): string => t`In an object`;
const inText = (): string => t`In the YAML editor`;

/** The keys that the help shows, by place. */
export const KEYS: readonly ShownKey[] = [
  { keys: ['Ctrl K', '⌘ K'], what: () => t`Search objects, pages and actions`, where: everywhere },
  { keys: ['?'], what: () => t`Show all keys`, where: everywhere },
  { keys: ['Esc'], what: () => t`Close what is open`, where: everywhere },
  { keys: ['/'], what: () => t`Search`, where: inLists },
  { keys: ['N'], what: () => t`Create`, where: inLists },
  { keys: ['J K ↓ ↑'], what: () => t`Next and previous row`, where: inLists },
  { keys: ['→ ←'], what: () => t`Links of the row`, where: inLists },
  { keys: ['Enter'], what: () => t`Open`, where: inLists },
  { keys: ['X'], what: () => t`Select`, where: inLists },
  { keys: ['E'], what: () => t`Edit`, where: inLists },
  { keys: ['[ ]'], what: () => t`Previous and next object`, where: inLists },
  { keys: ['Esc'], what: () => t`Close`, where: inLists },
  { keys: ['Ctrl S', '⌘ S'], what: () => t`Save`, where: inRecord },
  { keys: ['Ctrl Space'], what: () => t`Complete`, where: inText },
  { keys: ['F8'], what: () => t`Go to the next error`, where: inText },
  { keys: ['Ctrl F', '⌘ F'], what: () => t`Search and replace`, where: inText },
  { keys: ['F3', 'Shift F3'], what: () => t`Go to the next or previous match`, where: inText },
  { keys: ['Alt G', '⌘ ⌥ G'], what: () => t`Go to a line`, where: inText },
];

export const isKeyHelpOpen = new Store(false);
