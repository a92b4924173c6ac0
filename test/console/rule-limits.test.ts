import { expect, it } from 'vitest';
import { getRule } from '../../src/console/api/platform/rules.js';

it('names what limits a rule to some objects or fields', () => {
  const fields = { read: ['spec.title', 'spec.owner'], write: [] };
  expect(getRule({ verbs: ['get'], filter: 'spec.owner == user', fields }).limits).toEqual([
    'spec.owner == user',
    'read: spec.title, spec.owner',
    'write: –',
  ]);
  expect(getRule({ verbs: ['get'] }).limits).toEqual([]);
});
