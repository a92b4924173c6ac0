/** A changed field. */
export interface FieldChange {
  /** Dotted. */
  readonly path: string;
  /** Absent when the field was added. */
  readonly from?: unknown;
  /** Absent when the field was removed. */
  readonly to?: unknown;
}

/** A change of an object. */
export interface HistoryItem {
  readonly resourceVersion: string;
  readonly time: string;
  /** Absent without authentication. */
  readonly user?: string;
  readonly verb: string;
  /** Empty for a create. */
  readonly changes: readonly FieldChange[];
}

export interface HistoryPage {
  readonly metadata: {
    readonly continue?: string;
    /** The first revision in the log. */
    readonly oldest: string;
  };
  readonly items: readonly HistoryItem[];
}
