import type { Frame } from './frame.js';
import type { Expression } from './text/syntax.js';
import type { Type } from './types.js';
import type { Value } from './values.js';

/** A part of an expression, ready to be evaluated. */
export interface Compiled {
  readonly type: Type;
  /** @throws Failure when it has no value; CutOff */
  readonly run: (frame: Frame) => Value;
}

/** Compiles expressions to functions. */
export interface Compiling {
  /** @throws ExpressionFault */
  compile(expression: Expression, scope: CompileScope): Compiled;
  /** Compiles an expression that must be true or false. @throws ExpressionFault */
  bool(expression: Expression, scope: CompileScope): Compiled;
}

/** The variables that a part of an expression can name. */
export class CompileScope {
  private constructor(
    private readonly names: readonly string[],
    private readonly types: readonly Type[],
  ) {}

  static of(variables: Readonly<Record<string, Type>>): CompileScope {
    return new CompileScope(Object.keys(variables), Object.values(variables));
  }

  /** The number of variables, which is the slot of the next one. */
  get size(): number {
    return this.names.length;
  }

  with(name: string, type: Type): CompileScope {
    return new CompileScope([...this.names, name], [...this.types, type]);
  }

  /** The innermost variable of this name. */
  find(name: string): Compiled | undefined {
    const slot = this.names.lastIndexOf(name);
    const type = this.types[slot];
    return type && { type, run: (frame) => frame.value(slot) };
  }

  known(): readonly string[] {
    return this.names;
  }
}
