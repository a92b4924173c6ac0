import { createContext, use } from 'react';
import type { DraftProblem } from './draft/causes.js';

/** The common state of the parts of the builder. */
interface BuilderState {
  readonly problems: readonly DraftProblem[];
  /** The URL of the definition as YAML; undefined for a new one. */
  readonly yamlHref: string | undefined;
  /** The id of the field to open and focus. */
  readonly opened: string | undefined;
  readonly open: (id: string | undefined) => void;
}

export const BuilderContext = createContext<BuilderState>({
  problems: [],
  yamlHref: undefined,
  opened: undefined,
  open: () => undefined,
});

export function useBuilder(): BuilderState {
  return use(BuilderContext);
}

/** The messages for a part of a field, or of the model without an id. */
export function useProblemsOf(fieldId: string | undefined, part: string): readonly string[] {
  return useBuilder()
    .problems.filter((one) => one.fieldId === fieldId && one.part === part)
    .map(({ message }) => message);
}
