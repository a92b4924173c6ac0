/** A measurement. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  /** The unit of value and objective. */
  readonly unit: string;
  /** The minimum or maximum of the value. */
  readonly objective: { readonly least: number } | { readonly most: number };
  /** Processor time of the service for one operation: a request, an imported object or a received event. NaN when unknown. */
  readonly cpuMicros?: number;
  /** Additional information, such as the other side of a ratio. */
  readonly note?: string;
}

/** The common options of the measurements. */
export interface Bench {
  readonly directory: string;
  /** The duration of each load. */
  readonly durationMs: number;
  /** The number of objects at the start. */
  readonly objects: number;
  readonly signal: AbortSignal;
  /** Called before each measurement. */
  readonly onStep: (what: string) => void;
}

export function isMet({ value, objective }: Figure): boolean {
  return 'least' in objective ? value >= objective.least : value <= objective.most;
}
