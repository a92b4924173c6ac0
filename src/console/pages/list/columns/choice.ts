import { isObject, objectAt, textsAt } from '../../../lib/json.js';
import { NAME, type ListColumn } from './columns.js';

/** The choices of a user for the columns of a model. */
export interface ColumnChoice {
  /** Their ids in order, without that of names, which is always first. Undefined: the usual ones. */
  readonly shown: readonly string[] | undefined;
  /** Those that stay in sight when the table scrolls sideways. */
  readonly pinned: readonly string[];
  /** In pixels. */
  readonly widths: Readonly<Record<string, number>>;
}

export const NO_CHOICE: ColumnChoice = { shown: undefined, pinned: [], widths: {} };

const WIDTH_MIN = 60;
const WIDTH_MAX = 900;

/** Parses a kept choice; anything else is no choice. */
export function parseChoice(text: string | undefined): ColumnChoice {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    if (!isObject(value)) return NO_CHOICE;
    const widths = Object.entries(objectAt(value, 'widths')).flatMap(([id, width]) =>
      typeof width === 'number' && Number.isFinite(width) ? [[id, limitWidth(width)] as const] : [],
    );
    return {
      shown: Array.isArray(value.shown) ? textsAt(value, 'shown') : undefined,
      pinned: textsAt(value, 'pinned'),
      widths: Object.fromEntries(widths),
    };
  } catch {
    return NO_CHOICE;
  }
}

/** The displayed columns: that of names, the pinned ones, and the others. */
export function getShown(columns: readonly ListColumn[], choice: ColumnChoice): readonly ListColumn[] {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const ids = choice.shown ?? columns.filter(({ isUsual }) => isUsual).map(({ id }) => id);
  const pinned = ids.filter((id) => choice.pinned.includes(id));
  return [...new Set([NAME, ...pinned, ...ids])].flatMap((id) => byId.get(id) ?? []);
}

/** @param shown the ids of the displayed columns */
export function withShown(choice: ColumnChoice, shown: readonly string[]): ColumnChoice {
  return { ...choice, shown: shown.filter((id) => id !== NAME) };
}

export function withoutColumn(choice: ColumnChoice, shown: readonly string[], id: string): ColumnChoice {
  return withShown(
    choice,
    shown.filter((one) => one !== id),
  );
}

/** A column moves over one neighbour. */
export function withMove(
  choice: ColumnChoice,
  shown: readonly string[],
  id: string,
  step: 1 | -1,
): ColumnChoice {
  const ids = shown.filter((one) => one !== NAME);
  const [from, to] = [ids.indexOf(id), ids.indexOf(id) + step];
  const other = ids[to];
  if (from === -1 || other === undefined) return choice;
  return { ...choice, shown: ids.with(from, other).with(to, id) };
}

/** @param widths of the columns that stay in sight, which must be known */
export function withPin(
  choice: ColumnChoice,
  id: string,
  isPinned: boolean,
  widths: ColumnChoice['widths'],
): ColumnChoice {
  const others = choice.pinned.filter((one) => one !== id);
  return {
    ...choice,
    pinned: isPinned ? [...others, id] : others,
    widths: isPinned ? { ...widths, ...choice.widths } : choice.widths,
  };
}

/** @param width undefined: as wide as its content */
export function withWidth(choice: ColumnChoice, id: string, width: number | undefined): ColumnChoice {
  const { [id]: _old, ...others } = choice.widths;
  return { ...choice, widths: width === undefined ? others : { ...others, [id]: limitWidth(width) } };
}

function limitWidth(width: number): number {
  return Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width)));
}
