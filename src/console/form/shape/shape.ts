import type { Widget } from '../../lib/hints.js';
import type { JsonObject } from '../../lib/json.js';
import { humanize } from '../../lib/naming.js';

type ScalarKind = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'date-time' | 'integer-or-text';

export interface ScalarShape {
  readonly shape: 'scalar';
  readonly kind: ScalarKind;
  /** The only allowed values; undefined when others are allowed. */
  readonly choices: readonly unknown[] | undefined;
  /** The model whose objects' names are the values. */
  readonly target?: { readonly group: string; readonly kind: string };
  readonly widget?: Widget | undefined;
  readonly schema: JsonObject;
}

export interface Branch {
  readonly title: string;
  readonly shape: Shape;
  /** The members that a value of the branch has; with their only values, if the schema has those. */
  readonly required: JsonObject;
}

export type Shape =
  | ScalarShape
  | { readonly shape: 'group'; readonly fields: readonly Field[] }
  /** Its schema has the limits of the list. */
  | { readonly shape: 'list'; readonly item: Shape; readonly schema: JsonObject }
  /** An object with names of the user's choice. */
  | { readonly shape: 'map'; readonly item: Shape }
  /** A value of one of several shapes. */
  | { readonly shape: 'union'; readonly branches: readonly Branch[] }
  /** It is edited as YAML. */
  | { readonly shape: 'other'; readonly isReadOnly?: boolean };

export type ShapeOf<K extends Shape['shape']> = Extract<Shape, { readonly shape: K }>;

export interface Field {
  readonly name: string;
  /** Its label instead of the name; empty without one. */
  readonly title: string;
  readonly shape: Shape;
  readonly description: string;
  readonly isRequired: boolean;
  /** True when two of it fit side by side. */
  readonly isHalf: boolean;
  /** The default; empty without one. */
  readonly preset: string;
  /** For a field without choices; empty without an example. */
  readonly example: string;
  readonly naming?: Naming;
}

export type Naming = 'chosen' | 'generated';

/** The label of a field: its title, or its name as words. */
export function getLabel({ title, name }: Pick<Field, 'title' | 'name'>): string {
  return title || humanize(name) || name;
}
