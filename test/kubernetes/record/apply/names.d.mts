export declare class Names {
  constructor(startMs: number);
  noted(answer: object, isDry?: boolean): unknown;
  hidden(value: unknown): unknown;
  shown(value: unknown): unknown;
}
