/** The schema keyword with hints for the display of a model or a field in the console. */
export const HINTS = 'x-xsvc-console';

/** The inputs of fields that their types do not imply. */
export const WIDGETS = ['markdown', 'multiline', 'color', 'code', 'password', 'image', 'slider'] as const;

/** The widths of fields in forms. */
export const WIDTHS = ['half', 'full'] as const;

/** Hints for the console: the first four for a model, the others for a field. */
export interface ConsoleHints {
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
