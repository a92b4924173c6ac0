import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cloneJson } from '../../../src/lib/json/json.js';
import type { ObjectDraft } from '../../../src/model/object.js';
import { structuralCheck } from '../../../src/model/structural/structural-check.js';
import { CASES } from '../../kubernetes/record/structural-cases.mjs';

/** An answer of a kube-apiserver. The field `<nil>` is that of messages without a place. */
interface Answer {
  /** Undefined when the object is refused. */
  readonly stored?: unknown;
  readonly fields?: readonly string[];
  readonly unknown: readonly string[];
}

const ANSWERS = JSON.parse(
  readFileSync(new URL('../../kubernetes/structural-answers.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, readonly Answer[]>>;

/**
 * Kubernetes divides an integer by the integer part of the factor, which is 0 here, and refuses. It is accepted here,
 * as 1.5 is.
 */
const ACCEPTED = new Set(['multiple-2']);

/** Labels, annotations and owners have a place of their own here; keys of maps are in brackets there. */
const WHOLE = /^(.*metadata\.(?:labels|annotations|finalizers|ownerReferences))[.[].*$/;
const placeOf = (field: string): string => field.replace(WHOLE, '$1').replace(/\[([^\d\]][^\]]*)\]/g, '.$1');

function places(fields: readonly string[]): string[] {
  return [...new Set(fields.map(placeOf))].filter((field) => field !== '<nil>' && field !== '').sort();
}

describe('a check by a structural schema answers as a kube-apiserver', () => {
  for (const { name, schema, steps } of CASES) {
    let check = structuralCheck(schema);
    const stored = new Map<string, ObjectDraft>();
    for (const [at, step] of steps.entries()) {
      it(`${name} ${at} ${JSON.stringify(step.object).slice(0, 150)}`, () => {
        if (step.schema !== undefined) check = structuralCheck(step.schema);
        const answer = ANSWERS[name]?.[at];
        if (answer === undefined) throw new Error('no answer is recorded');
        const { fields = [] } = answer;
        const kind = name.charAt(0).toUpperCase() + name.slice(1);
        const object: ObjectDraft = {
          apiVersion: 'structural.reference.test/v1',
          kind,
          ...cloneJson(step.object),
        };
        const key = step.object.metadata.name;
        const { causes, unknown } = check(object, stored.get(key));
        expect(unknown.map(({ path }) => path).sort()).toEqual(answer.unknown);
        if (causes.length === 0) stored.set(key, object);
        const isAccepted = ACCEPTED.has(key) || answer.stored !== undefined;
        expect(causes.length === 0, JSON.stringify(causes)).toBe(isAccepted);
        if (answer.stored !== undefined) expect(object).toEqual(answer.stored);
        if (isAccepted) return;
        const found = places(causes.map(({ field }) => field));
        const expected = places(fields);
        // Where Kubernetes only says that no schema of several matches, the reasons are listed here.
        if (fields.includes('<nil>')) expect(found).toEqual(expect.arrayContaining(expected));
        else expect(found).toEqual(expected);
      });
    }
  }
});
