import { useEffect, useRef } from 'react';

/** The actions of the keys of a list. */
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
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const run = findAction(event, latest.current);
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

function findAction(event: KeyboardEvent, actions: ListKeyActions): (() => void) | undefined {
  const { key, target, ctrlKey, metaKey, altKey, defaultPrevented, isComposing } = event;
  if (ctrlKey || metaKey || altKey || defaultPrevented || isComposing || !(target instanceof Element))
    return undefined;
  // A dialog over the page has all keys.
  if (document.querySelector('[role="dialog"][aria-modal], .modal') !== null) return undefined;
  if (target.closest(TYPING) !== null) return undefined;
  const isInRow = target.closest('.list-row') !== null;
  switch (key) {
    case '/':
      return focusSearch;
    case 'n':
      return actions.create;
    case 'j':
    case ']':
      return () => actions.move(1);
    case 'k':
    case '[':
      return () => actions.move(-1);
    case 'ArrowDown':
      return isInRow || target === document.body ? () => actions.move(1) : undefined;
    case 'ArrowUp':
      return isInRow || target === document.body ? () => actions.move(-1) : undefined;
    case 'Enter':
      return target.closest(PRESSING) === null && isInRow ? actions.open : undefined;
    case 'x':
      return actions.select;
    case 'e':
      return actions.edit;
    case 'Escape':
      return actions.close;
    default:
      return undefined;
  }
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  field?.focus();
  field?.select();
}
