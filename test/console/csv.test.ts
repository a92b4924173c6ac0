import { expect, it } from 'vitest';
import { csvHead } from '../../src/console/pages/list/export/csv.js';

it('names the age of an exported table by the time that it contains, and no other column', () => {
  const columns = [
    { name: 'Name', type: 'string' },
    { name: 'Age', type: 'integer' },
    { name: 'Age', type: 'date' },
    { name: 'Updated', type: 'date' },
  ];
  expect(csvHead(columns, 'Created')).toBe('Name,Age,Created,Updated\r\n');
});
