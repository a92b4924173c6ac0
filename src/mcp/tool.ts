import { badRequest } from '../errors.js';
import { checkJson } from '../lib/json/json.js';
import type { Caller } from './caller.js';
import { readArguments, type Arguments, type Parameters } from './parameters.js';

/** The JSON object that a tool answers. */
export type ToolAnswer = Readonly<Record<string, unknown>>;

interface ToolText {
  readonly name: string;
  readonly title: string;
  /** For an agent. */
  readonly description: string;
  /** True for a tool that changes nothing. */
  readonly isReadOnly: boolean;
  /** True for a tool that may remove or replace stored data. */
  readonly isDestructive: boolean;
  /** True when a repeated call has no further effect. */
  readonly isIdempotent: boolean;
}

export interface Tool extends ToolText {
  readonly parameters: Parameters;
  /** @throws ServiceError */
  readonly run: (given: unknown, caller: Caller) => Promise<ToolAnswer>;
}

interface ToolSpec<P extends Parameters> extends ToolText {
  readonly parameters: P;
  readonly run: (given: Arguments<P>, caller: Caller) => Promise<ToolAnswer>;
}

/** Defines a tool, whose arguments are checked before each call. */
export function defineTool<const P extends Parameters>(spec: ToolSpec<P>): Tool {
  const { name, parameters, run } = spec;
  return {
    ...spec,
    run: async (given, caller) => {
      const fault = checkJson(given);
      if (fault !== undefined) throw badRequest(`${name}: ${fault}`);
      return run(readArguments(name, parameters, given), caller);
    },
  };
}

/** The hints of a tool that only reads. */
export const READS = { isReadOnly: true, isDestructive: false, isIdempotent: true } as const;
