import type { Step } from './kind-cases.mjs';

export interface Summary {
  readonly status: number;
  readonly reason?: string;
  readonly causes?: readonly string[];
  readonly items?: number;
  readonly object?: object;
  readonly size?: number;
}
export declare function inNamespace(step: Step, namespace: string): Step;
export declare function summary(status: number, text: string): Summary;
