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
  /** What changed, without the path. */
  readonly text: string;
  /** Whether objects that fitted before may not fit now. */
  readonly isTighter: boolean;
}

/** What those who compare report to. */
export type TellChange = (change: SchemaChange) => void;
