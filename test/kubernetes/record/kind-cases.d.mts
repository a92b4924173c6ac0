export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly type?: string;
}
export declare const CASES: Readonly<Record<string, readonly Step[]>>;
