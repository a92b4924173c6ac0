import { expect, it } from 'vitest';
import { withDefinitionDefaults } from '../../../src/kubernetes/crd/defaults.js';
import { acceptNames } from '../../../src/kubernetes/crd/names.js';
import { readDefinition, type DefinitionNames } from '../../../src/kubernetes/crd/definition.js';
import { definitionsOfNames, readData, type NameCase } from './cases.js';
import type { JsonObject } from '../../../src/model/object.js';

interface RecordedNames {
  readonly accepted: DefinitionNames;
  readonly status: string;
  readonly reason: string;
}

const recorded = readData<Record<string, RecordedNames>>('recorded/conflicts.yaml');
const cases = Object.entries(readData<Record<string, NameCase>>('conflicts.yaml'));

function namesOf(definition: JsonObject): DefinitionNames {
  return readDefinition(withDefinitionDefaults(definition)).definition.spec?.names ?? {};
}

function takenBy({
  plural = '',
  singular = '',
  shortNames = [],
  kind = '',
  listKind = '',
}: DefinitionNames): {
  resources: Set<string>;
  kinds: Set<string>;
} {
  return { resources: new Set([plural, singular, ...shortNames]), kinds: new Set([kind, listKind]) };
}

/** Kubernetes prints names that are not accepted as empty texts. */
function withoutEmpty(names: DefinitionNames): DefinitionNames {
  return Object.fromEntries(Object.entries(names).filter(([, name]) => name !== ''));
}

it('has a recorded answer in each case', () => {
  expect(Object.keys(recorded)).toEqual(cases.map(([name]) => name));
});

it.each(cases)('names are accepted as by Kubernetes: %s', (name, one) => {
  const { first, second } = definitionsOfNames(one);
  const { accepted, condition } = acceptNames(namesOf(second), takenBy(namesOf(first)));
  const { [name]: answer } = recorded;
  expect({ accepted, status: condition.status, reason: condition.reason }).toEqual(
    answer && { ...answer, accepted: withoutEmpty(answer.accepted) },
  );
});

it('a name that was accepted stays, although another kind has it, and while a new one is taken', () => {
  const before = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
  const taken = { resources: new Set(['gadgets', 'widget']), kinds: new Set<string>() };
  const { accepted, condition } = acceptNames({ ...before, singular: 'widget' }, taken, before);
  expect(accepted).toEqual(before);
  expect(condition).toMatchObject({ status: 'False', reason: 'SingularConflict' });
  expect(condition.message).toContain('"widget"');
});

it('a short name that is dropped is not accepted any more', () => {
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
  const taken = { resources: new Set<string>(), kinds: new Set<string>() };
  const { accepted, condition } = acceptNames(names, taken, { ...names, shortNames: ['gd'] });
  expect(accepted).toEqual(names);
  expect(condition).toMatchObject({ status: 'True', reason: 'NoConflicts' });
});
