import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AUDIT_FIELDS, formatLine, type AuditEntry } from '../../src/audit/entry.js';

const GUIDE = new URL('../../docs/guides/audit.md', import.meta.url);
const FIELDS = Object.keys(AUDIT_FIELDS);

const ENTRY: AuditEntry = {
  revision: '7',
  reason: 'Forbidden',
  code: 403,
  path: '/metrics',
  subresource: 'status',
  name: 'ada',
  namespace: 'default',
  resource: 'persons',
  version: 'v1',
  group: 'demo.example.com',
  verb: 'create',
  source: '192.0.2.7',
  groups: ['staff'],
  via: 'http',
  user: 'ann',
};

it('a line has all fields in the documented order, and none without a value', () => {
  const line = formatLine(ENTRY, new Date(0));
  expect(line.endsWith('}\n')).toBe(true);
  expect(Object.entries(JSON.parse(line) as object)).toEqual(
    FIELDS.map((field) => [
      field,
      field === 'time' ? '1970-01-01T00:00:00.000Z' : ENTRY[field as keyof AuditEntry],
    ]),
  );
  const least = formatLine({ via: 'service', verb: 'get', code: 200 }, new Date(0));
  expect(Object.keys(JSON.parse(least) as object)).toEqual(['time', 'via', 'verb', 'code']);
});

it('the lines in the guide have these fields', () => {
  const [, shown = ''] = /^```json\n([\s\S]*?)^```$/m.exec(readFileSync(GUIDE, 'utf8')) ?? [];
  const lines = shown.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) {
    const found = Object.keys(JSON.parse(line) as object);
    expect(found).toEqual(FIELDS.filter((field) => found.includes(field)));
  }
});
