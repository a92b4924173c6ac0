import type { FieldDraft } from '../draft/model-draft.js';

/** A list of fields in the builder. */
export interface FieldListProps {
  readonly fields: readonly FieldDraft[];
  /** The model itself, for references to it. */
  readonly own: { readonly group: string; readonly kind: string };
  /** The levels of groups that may follow. */
  readonly depth: number;
  /** False in the items of a list. */
  readonly hasLists: boolean;
  /** The name of the group that contains the fields. */
  readonly into?: string;
  /** True for a model that cannot be changed. */
  readonly isReadOnly?: boolean;
  readonly onChange: (fields: readonly FieldDraft[]) => void;
}
