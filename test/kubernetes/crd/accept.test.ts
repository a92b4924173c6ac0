import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkDefinition } from '../../../src/kubernetes/crd/rules/accept.js';
import { withDefinitionDefaults } from '../../../src/kubernetes/crd/defaults.js';
import type { JsonObject } from '../../../src/model/object.js';
import { Random } from '../../helpers/seed.js';
import { definitionOf, readCases, readData, type DefinitionCase } from './cases.js';
import { checkDefault } from './check-default.js';
import { randomDefinition } from './random-definitions.js';

/** The paths at fault, or that the definition cannot be read. A kube-apiserver has recorded it. */
type Recorded = readonly string[] | 'unreadable';

/** Kubernetes names the place of a version's members in its internal form, when all versions share them. */
const INDEX_FORMS: readonly (readonly [RegExp, string])[] = [
  [/^spec\.validation\b/, 'spec.versions[0].schema'],
  [/^spec\.(subresources|additionalPrinterColumns|selectableFields)\b/, 'spec.versions[0].$1'],
  [/^spec\.version$/, 'spec.versions[0].name'],
  [/^spec\.conversion\.webhookClientConfig\b/, 'spec.conversion.webhook.clientConfig'],
  [/^spec\.conversion\.conversionReviewVersions\b/, 'spec.conversion.webhook.conversionReviewVersions'],
  [/\.JSONPath$/, '.jsonPath'],
  [/\.\[/g, '['],
];

function indexForm(path: string): string {
  return INDEX_FORMS.reduce((text, [from, to]) => text.replace(from, to), path);
}

/** The server sets the status itself, and checks it against a faulty specification. */
const OF_STATUS = 'status.storedVersions';

function sorted(paths: Iterable<string>): string[] {
  return [...new Set(paths)].filter((path) => path !== OF_STATUS).sort();
}

function faultsOf(definition: JsonObject, stored?: JsonObject): string[] {
  const causes = checkDefinition(withDefinitionDefaults(definition), checkDefault, stored);
  return sorted(causes.map(({ field }) => field));
}

/** The stored definition of a case, with its status. */
function storedOf({ stored, besides }: DefinitionCase): JsonObject | undefined {
  if (stored === undefined) return undefined;
  const definition = withDefinitionDefaults(definitionOf(stored));
  const isEstablished = besides === undefined ? 'True' : 'False';
  return {
    ...definition,
    status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: isEstablished }] },
  };
}

describe('a definition', () => {
  const recorded = readData<Record<string, Recorded>>('recorded/cases.yaml');

  it('has a recorded answer in each case', () => {
    expect(Object.keys(recorded)).toEqual([...readCases().keys()]);
  });

  it.each([...readCases()])('%s', (name, one) => {
    const { [name]: answer = [] } = recorded;
    const found = faultsOf(definitionOf(one), storedOf(one));
    if (answer === 'unreadable') expect(found).not.toEqual([]);
    else expect(found).toEqual(sorted(one.instead ?? [...answer.map(indexForm), ...(one.more ?? [])]));
  });
});

const UNSUPPORTED = /\.\$ref$/;

describe('random definitions', () => {
  const { seed, digest, faults } = readData<{ seed: number; digest: string; faults: Recorded[] }>(
    'recorded/random.yaml',
  );

  it(`are judged as by Kubernetes, seed ${seed}`, () => {
    const random = new Random(seed);
    const definitions = faults.map(() => randomDefinition(random));
    const made = createHash('sha256').update(definitions.map((one) => JSON.stringify(one)).join(''));
    expect(made.digest('hex'), 'the generator has changed: record again').toBe(digest);
    const wrong = definitions.flatMap((definition, i) => {
      const { [i]: answer = [] } = faults;
      const found = faultsOf(definition);
      const expected = answer === 'unreadable' ? [answer] : sorted(answer.map(indexForm));
      // Kubernetes lists no other faults of the structure beside these keywords.
      const isShort = expected.some((field) => UNSUPPORTED.test(field));
      const missing = expected.filter((field) => !found.includes(field));
      const isRight = missing.length === 0 && (isShort || found.length === expected.length);
      return isRight ? [] : [{ i, found, expected, schema: JSON.stringify(definition.spec) }];
    });
    expect(wrong).toEqual([]);
  });
});
