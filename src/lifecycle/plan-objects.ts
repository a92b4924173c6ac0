import type { Work } from '../lib/work/work.js';
import type { Scheme } from '../model/declare/scheme.js';
import { ConversionTrial, type ConversionLoss } from './conversion-loss.js';
import { adder } from './migration-check.js';
import { DanglingFinder, danglingText, type Dangling } from './dangling.js';
import { InvalidObjects, type InvalidObject, type ScannedRecord } from './scan.js';
import { SharedValueFinder } from '../store/index/shared-values.js';
import type { ModelLifecycle } from './model-lifecycle.js';
import { storedVersionIn } from '../store/stored-version.js';

export type PlanProblemKind =
  | 'unfit'
  | 'conversion'
  | 'duplicate'
  | 'undeclared-version'
  | 'undeclared-migration'
  | 'interrupted-migration'
  | 'dangling';

/** A problem that prevents a plugin from starting, that makes objects invalid, or whose writes need a migration later. */
export interface PlanProblem {
  readonly kind: PlanProblemKind;
  /** The version, index or migration; empty for the model as a whole. */
  readonly path: string;
  /** Number of objects, or of values. */
  readonly count: number;
  readonly text: string;
  /** The first of them. */
  readonly examples: readonly InvalidObject[];
}

export interface PlanScanOptions {
  /** The indexes whose values must be compared. */
  readonly indexes: Scheme['indexes'];
  readonly progress: (done: number) => void;
  readonly work?: Work | undefined;
  readonly batch?: number;
}

/** Objects whose conversions are tested both ways. */
const TRIED_MAX = 300;

/** Large, because the process serves no requests. */
const BATCH = 500;

/**
 * Checks all objects of a model as its code reads them. Memory grows by 8 bytes for each value that must be unique.
 */
export async function findPlanProblems(
  lifecycle: ModelLifecycle,
  scheme: Scheme,
  { indexes, progress, work, batch = BATCH }: PlanScanOptions,
): Promise<{ readonly warnings: readonly string[]; readonly problems: readonly PlanProblem[] }> {
  const finder = new SharedValueFinder(indexes);
  const found = new ObjectProblems(
    scheme,
    Math.ceil((await lifecycle.store.getCount(scheme.resource)) / TRIED_MAX),
  );
  const addFirst = adder(finder, 'first');
  const dangling = new DanglingFinder(lifecycle.store, scheme);
  await lifecycle.scan(scheme, {
    onObject: (one) => {
      found.add(one);
      addFirst(one);
    },
    onBatch: dangling.add,
    progress,
    work,
    batch,
  });
  if (finder.hasSuspects()) await lifecycle.scan(scheme, { onObject: adder(finder, 'second'), work, batch });
  return {
    warnings: found.warnings(),
    problems: [...found.problems(), ...duplicates(finder), ...dangling.found().map(danglingProblem)],
  };
}

class ObjectProblems {
  readonly #undeclared = new Map<string, InvalidObjects>();
  readonly #unconverted = new InvalidObjects();
  readonly #invalid = new InvalidObjects();
  readonly #trial: ConversionTrial;
  #seen = 0;

  /** @param step interval of the objects whose conversions are tested both ways */
  constructor(
    private readonly scheme: Scheme,
    private readonly step: number,
  ) {
    this.#trial = new ConversionTrial(scheme);
  }

  add({ name, json, checked: { object, problem } }: ScannedRecord): void {
    if (object !== undefined && json !== undefined) {
      if (this.#seen++ % this.step === 0) this.#trial.try(json);
    } else if (json !== undefined) {
      const version = storedVersionIn(this.scheme.resource, json);
      if (this.scheme.versions.byName.has(version)) this.#unconverted.add({ name, problem: problem ?? '' });
      else this.#countsFor(version).add({ name, problem: `is stored in version ${version}` });
      return;
    }
    if (problem !== undefined) this.#invalid.add({ name, problem });
  }

  #countsFor(version: string): InvalidObjects {
    const known = this.#undeclared.get(version) ?? new InvalidObjects();
    this.#undeclared.set(version, known);
    return known;
  }

  warnings(): readonly string[] {
    return this.#trial.losses().flatMap(lossTexts);
  }

  problems(): readonly PlanProblem[] {
    const { kind } = this.scheme.resource;
    const found: PlanProblem[] = [];
    for (const [version, { count, named }] of this.#undeclared) {
      const text = `${objects(count)} stored in version ${version}, which no class declares; declare it with up and down, or run xsvc model drop ${kind} --version ${version}`;
      found.push({ kind: 'undeclared-version', path: version, count, text, examples: named });
    }
    if (this.#unconverted.count > 0)
      found.push(createProblem('conversion', this.#unconverted, 'cannot be converted or migrated'));
    if (this.#invalid.count > 0) found.push(createProblem('unfit', this.#invalid, 'would be invalid'));
    return found;
  }
}

function createProblem(kind: PlanProblemKind, { count, named }: InvalidObjects, text: string): PlanProblem {
  return { kind, path: '', count, text: `${objects(count)} ${text}`, examples: named };
}

function lossTexts({ version, tried, lossy, fields, failed, problem }: ConversionLoss): readonly string[] {
  const texts: string[] = [];
  const of = `of ${tried} tried`;
  if (lossy > 0)
    texts.push(
      `version ${version}: ${lossy} ${of} have other values in ${fields.join(', ')} after conversion there and back`,
    );
  if (failed > 0)
    texts.push(`version ${version}: ${failed} ${of} cannot be converted there and back: ${problem ?? ''}`);
  return texts;
}

function duplicates(finder: SharedValueFinder): readonly PlanProblem[] {
  return finder.found().map(({ index, count, examples }) => ({
    kind: 'duplicate',
    path: index,
    count,
    text: `${count} ${count === 1 ? 'value' : 'values'} of the unique index ${index} would be shared by several objects`,
    examples: examples.map(({ value, names: [first, second] }) => ({
      name: second,
      problem: `has "${value}", which "${first}" has`,
    })),
  }));
}

function danglingProblem(dangling: Dangling): PlanProblem {
  const { reference, count, examples } = dangling;
  const text = `${danglingText(dangling)}; they are rejected when they are written again`;
  return { kind: 'dangling', path: reference.field, count, text, examples };
}

function objects(count: number): string {
  return `${count} ${count === 1 ? 'object' : 'objects'}`;
}
