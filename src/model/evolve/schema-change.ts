export type SchemaChangeKind =
  | 'field-added'
  | 'field-removed'
  | 'type-changed'
  | 'required-added'
  | 'required-removed'
  | 'enum-added'
  | 'enum-removed'
  | 'rule-tightened'
  | 'rule-loosened'
  | 'rule-changed';

/** One difference between two declarations of a model. */
export interface SchemaChange {
  readonly kind: SchemaChangeKind;
  /** Dotted, with `[]` for the items of a list and `.*` for members of any name. */
  readonly path: string;
  /** The change, without the path. */
  readonly text: string;
  /** True when objects that were valid before may not be valid now. */
  readonly isTighter: boolean;
}

/** Receives the differences that a comparison finds. */
export type ReportChange = (change: SchemaChange) => void;
