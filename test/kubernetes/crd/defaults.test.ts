import { expect, it } from 'vitest';
import { withDefinitionDefaults } from '../../../src/kubernetes/crd/defaults.js';
import type { JsonObject } from '../../../src/model/object.js';
import { definitionOf, objectAt, readData } from './cases.js';

it('a definition gets the defaults that Kubernetes sets', () => {
  const { spec } = withDefinitionDefaults(readData<JsonObject>('plain.yaml'));
  expect(spec).toEqual(readData<JsonObject>('recorded/defaults.yaml'));
});

it('given values stay, and defaults are set once', () => {
  const names = { singular: 'wid', listKind: 'Wids' };
  const once = withDefinitionDefaults(definitionOf({ spec: { names } }));
  expect(objectAt(objectAt(once, 'spec'), 'names')).toMatchObject(names);
  expect(withDefinitionDefaults(once)).toEqual(once);
});

it.each([
  { spec: 'none' },
  { spec: { names: [] } },
  { spec: { versions: { v1: {} } } },
  { spec: { versions: [1] } },
])('values of a wrong type stay: %j', (crd) => {
  expect(withDefinitionDefaults(crd)).toMatchObject(crd);
});
