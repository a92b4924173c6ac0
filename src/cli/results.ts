import { getCauses, getMessage, hasCode, ServiceError } from '../errors.js';
import { EXIT, worstExit, type ExitCode } from './exit.js';
import { isNamespaceModel } from './input/definitions.js';
import type { CliIo } from './io.js';
import type { GlobalFlags } from './flags.js';
import { counted } from './output/counted.js';
import { inLines, printFailure } from './output/failure.js';

/** Collects the failures of a command that continues; each failure is printed immediately. */
export class Failures {
  #count = 0;
  #exitCode: ExitCode = EXIT.done;

  constructor(
    private readonly io: CliIo,
    private readonly flags: GlobalFlags,
    /** Later failures are only counted. */
    private readonly printMax = Infinity,
  ) {}

  get count(): number {
    return this.#count;
  }

  async add(error: unknown): Promise<void> {
    this.#count += 1;
    this.#exitCode = worstExit([error], this.#exitCode);
    if (this.#count <= this.printMax) await printFailure(this.io, error, this.flags.verbose === true);
  }

  /** Prints the number of failures that were only counted. */
  printRest(): void {
    const rest = this.#count - this.printMax;
    if (rest > 0) this.io.stderr.line(`and ${counted(rest, 'more error')}`);
  }

  /** Runs work for one of several objects; a failure does not stop the others. */
  async attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.add(error);
    }
  }

  /** Reports equal failures once, with all names. */
  async addAlike(failures: readonly { readonly name: string; readonly error: unknown }[]): Promise<void> {
    const alike = new Map<string, { readonly error: unknown; readonly names: string[] }>();
    for (const { name, error } of failures) {
      const reason = getMessage(error).replaceAll(name.slice(name.indexOf('/') + 1), '');
      const known = alike.get(reason);
      if (known === undefined) alike.set(reason, { error, names: [name] });
      else known.names.push(name);
    }
    for (const { error, names } of alike.values()) {
      await this.add(error);
      const others = names.slice(1);
      this.#count += others.length;
      if (others.length > 0)
        this.io.stderr.line(`  and ${others.length} more with the same error: ${others.join(', ')}`);
    }
  }

  /** 0 without failures; else that of the largest class. */
  get exitCode(): ExitCode {
    return this.#exitCode;
  }
}

/**
 * A failure of a write with its place in a file: `file:line: path message`, for each cause. Causes of a batch lose the name of the
 * item, which has no meaning for the file's author.
 */
export function atPlace(error: unknown, place: (path?: string) => string, subject: string): unknown {
  if (!(error instanceof ServiceError)) return error;
  const causes = error.details.causes ?? [];
  if (error.code !== 'Invalid' || causes.length === 0) {
    const message = error.message.replace(/^items\[\d+\]: /, '');
    // Most messages begin with the object.
    const isNamed = /^\S+ "([^"]+)"/.exec(message)?.[1] === subject.slice(subject.indexOf('/') + 1);
    const text = isNamed ? message : `${subject}: ${message}`;
    return new ServiceError(error.code, `${place()}: ${text}`, {}, { cause: error });
  }
  const lines = causes.map(({ field, message }) => {
    const path = field.replace(/^items\[\d+\]\./, '');
    return `${place(path)}: ${path} ${message}`;
  });
  return inLines(lines, (message) => new ServiceError(error.code, message, {}, { cause: error }));
}

/** The position of the item at which a batch failed; undefined when the failure concerns the batch as a whole. */
export function failedItem(error: ServiceError): number | undefined {
  const found = /^items\[(\d+)\]/.exec(error.details.causes?.[0]?.field ?? error.message);
  return found === null ? undefined : Number(found[1]);
}

/** Prints the warnings of the service on stderr. */
export function printWarnings(io: CliIo, subject: string, warnings: readonly string[]): void {
  for (const warning of warnings) io.stderr.line(`warning: ${subject}: ${warning}`);
}

/** True when the only reasons are missing targets of references: another write may create those. */
export function lacksTargets(error: unknown): boolean {
  const causes = getCauses(error);
  return causes.length > 0 && causes.every(({ reason }) => reason === 'FieldValueNotFound');
}

/** True when the namespace of an object does not exist: another write may create it. */
export function lacksNamespace(error: unknown): boolean {
  return hasCode(error, 'NotFound') && isNamespaceModel(error.details);
}

/** True without an answer from the service. A model that is not ready yet has a retry time, and affects only itself. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return true;
  return error.code === 'ServiceUnavailable' && error.details.retryAfterSeconds === undefined;
}
