import { useEffect } from 'react';
import { useLatest } from '../../lib/use-latest.js';

export interface ListKeyActions {
  /** Moves the current row. */
  readonly move: (step: 1 | -1) => void;
  readonly open: () => void;
  readonly edit: () => void;
  readonly select: () => void;
  /** Undefined when the user may not create objects. */
  readonly create: (() => void) | undefined;
  /** Undefined while nothing is open. */
  readonly close: (() => void) | undefined;
}

/** Where keys are input, or belong to something that is open. */
const TYPING =
  'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"], .cm-editor';
/** Keys that press what has the focus. */
const PRESSING = 'a, button, input, summary';

/** Follows the keys of a list, wherever the focus is. */
export function useListKeys(actions: ListKeyActions): void {
  const onKeyDown = useLatest((event: KeyboardEvent) => {
    const run = findAction(event, actions);
    if (run === undefined) return;
    event.preventDefault();
    run();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [onKeyDown]);
}

function findAction(event: KeyboardEvent, actions: ListKeyActions): (() => void) | undefined {
  const { key, target, ctrlKey, metaKey, altKey, defaultPrevented, isComposing } = event;
  if (ctrlKey || metaKey || altKey || defaultPrevented || isComposing || !(target instanceof Element))
    return undefined;
  // A dialog over the page has all keys.
  if (document.querySelector('[role="dialog"][aria-modal], .modal') !== null) return undefined;
  if (target.closest(TYPING) !== null) return undefined;
  const isInRow = target.closest('.list-row') !== null;
  const isAtRows = isInRow || target === document.body;
  const isOpening = isInRow && target.closest(PRESSING) === null;
  const up = (): void => actions.move(-1);
  const down = (): void => actions.move(1);
  const byKey: Readonly<Record<string, (() => void) | undefined>> = {
    '/': focusSearch,
    n: actions.create,
    j: down,
    ']': down,
    k: up,
    '[': up,
    ArrowDown: isAtRows ? down : undefined,
    ArrowUp: isAtRows ? up : undefined,
    Enter: isOpening ? actions.open : undefined,
    x: actions.select,
    e: actions.edit,
    Escape: actions.close,
  };
  return byKey[key];
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  field?.focus();
  field?.select();
}
