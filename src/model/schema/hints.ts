import type { JsonObject } from '../object.js';

/** The schema keyword with hints for the display of a model or a field in the console. */
export const HINTS = 'x-xsvc-console';

/** The inputs of fields that their types do not imply. */
export const WIDGETS = ['markdown', 'multiline', 'color', 'code', 'password', 'image', 'slider'] as const;

/** The widths of fields in forms. */
export const WIDTHS = ['half', 'full'] as const;

/** Texts by language, such as `{ de: 'Produkte' }`. The languages are BCP 47 tags: `de`, `pt-BR`. */
export type TextByLanguage = Readonly<Record<string, string>>;

/** Hints for the console: the first two for models and fields, the next five for a model, the others for a field. */
export interface ConsoleHints {
  /** The title of the schema in other languages. */
  readonly titles?: TextByLanguage;
  /** The description of the schema in other languages. */
  readonly descriptions?: TextByLanguage;
  /** Of a model: the name of one object in other languages. */
  readonly kinds?: TextByLanguage;
  /** Of a model: the path of the text field that people know an object by, such as `spec.title`. */
  readonly title?: string;
  /** Of a model: the name of an icon. */
  readonly icon?: string;
  /** Of a model: its heading in the navigation. */
  readonly group?: string;
  /** Of a model: the paths of the fields that lists display, in order. */
  readonly columns?: readonly string[];
  /** Of a field: true when forms omit it. */
  readonly hidden?: boolean;
  /** Of a field: its input. */
  readonly widget?: (typeof WIDGETS)[number];
  /** Of a field: its width in forms. */
  readonly width?: (typeof WIDTHS)[number];
}

/** The hint of a model of the service: its icon, and its names in German. */
export function modelHint(icon: string, title: string, kind: string): { readonly [HINTS]: JsonObject } {
  return { [HINTS]: { icon, titles: { de: title }, kinds: { de: kind } } };
}
