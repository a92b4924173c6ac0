export declare const SUITES: readonly {
  readonly module: string;
  readonly version: string;
  readonly packages: Readonly<Record<string, string>>;
}[];
