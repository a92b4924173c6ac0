import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatAge } from '../../src/lib/time/age.js';
import { pathColumn, tableColumns } from '../../src/cli/output/columns.js';
import { eventPrinter, type EventFlags } from '../../src/cli/output/events.js';
import { escapeControls } from '../../src/lib/escape-controls.js';
import { failureLines } from '../../src/cli/output/failure.js';
import { parseJsonPath, readJsonPath, valuesAt, type JsonPath } from '../../src/lib/json/json-path.js';
import { parseTemplate } from '../../src/lib/json/json-path-template.js';
import { printList, printRows, printValue } from '../../src/cli/output/objects.js';
import { printTemplate } from '../../src/cli/output/template.js';
import { cutTo, padTo, getWidth } from '../../src/cli/output/width.js';
import { invalid, notFound } from '../../src/errors.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { Resource } from '../../src/model/resource.js';
import { testIo } from './helpers.js';

const NOW = Date.parse('2026-11-20T08:00:00.000Z');
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

const RESOURCE: Resource = {
  group: 'example.com',
  version: 'v1',
  storageVersion: 'v1',
  kind: 'Person',
  plural: 'persons',
  singular: 'person',
  shortNames: [],
  categories: [],
  schema: {},
  indexes: [],
  columns: [
    { name: 'Age', jsonPath: '.spec.age', type: 'integer' },
    { name: 'city', jsonPath: '.spec.city', type: 'string' },
    { name: 'email', jsonPath: '.spec.email', type: 'string', priority: 1 },
  ],
};

function person(name: string, spec: object, labels?: Record<string, string>): ExtensionObject {
  const system = { uid: 'u', generation: 1, version: 0, resourceVersion: '1' };
  const [creationTimestamp, updateTimestamp] = [ago(330), ago(60)];
  return {
    apiVersion: 'example.com/v1',
    kind: 'Person',
    metadata: {
      name,
      ...system,
      creationTimestamp,
      updateTimestamp,
      ...(labels === undefined ? {} : { labels }),
    },
    spec,
  };
}

const PEOPLE = [
  person('ann', { age: 30, city: 'Köln', email: 'a@x' }, { team: 'blue', a: '1' }),
  person('bo', { age: 4, city: '東京' }),
  person('chris', { city: '👩‍👩‍👧 family' }),
];

// Ages are as of now, which must not be a second later because the machine stood still.
beforeEach(() => {
  vi.setSystemTime(NOW);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('formatAge', () => {
  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [330, '5m30s'],
    [600, '10m'],
    [3 * 3600 - 1, '179m'],
    [3 * 3600 + 300, '3h5m'],
    [8 * 3600, '8h'],
    [2 * 86_400, '2d'],
    [3 * 86_400 + 4 * 3600, '3d4h'],
    [8 * 86_400, '8d'],
    [2 * 365 * 86_400 + 86_400, '2y1d'],
    [9 * 365 * 86_400, '9y'],
    [-1, '0s'],
    [-60, 'in 60s'],
    [-4 * 3600, 'in 4h'],
  ])('says %i seconds as %s', (seconds, text) => {
    expect(formatAge(ago(seconds), NOW)).toBe(text);
  });

  it('prints <unknown> for a value that is not stored yet', () => {
    expect(formatAge('', NOW)).toBe('<unknown>');
  });

  it('prints <invalid> for a text that is no instant', () => {
    expect(formatAge('yesterday', NOW)).toBe('<invalid>');
  });
});

describe('widthOf', () => {
  it.each([
    ['abc', 3],
    ['Köln', 4],
    ['東京', 4],
    ['👩‍👩‍👧', 2],
    ['e\u0301', 1],
    ['', 0],
  ])('measures %s', (text, width) => {
    expect(getWidth(text)).toBe(width);
    expect(getWidth(padTo(text, 10))).toBe(10);
  });

  it('cuts between characters and never within one', () => {
    expect(cutTo('東京都', 4)).toBe('東…');
    expect(cutTo('abcdef', 4)).toBe('abc…');
    expect(cutTo('abcd', 4)).toBe('abcd');
  });
});

const ROOT: JsonPath = { fromRoot: true, steps: [] };

describe('valuesAt', () => {
  const object = {
    spec: { tags: ['x', 'y'], 'a.b': 1, none: null },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Old', status: 'False' },
      ],
    },
  };

  it.each([
    ['.spec.tags[0]', ['x']],
    ['.spec.tags[-1]', ['y']],
    ['.spec.tags[*]', ['x', 'y']],
    ["{.spec['a.b']}", [1]],
    ['$.spec.a\\.b', [1]],
    ['.spec.none', []],
    ['.spec.missing.deep', []],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ['.spec.tags.constructor', []],
  ])('follows %s', (path, values) => {
    expect(valuesAt(object, parseJsonPath(path) ?? ROOT)).toEqual(values);
  });

  it('refuses a text that is no path', () => {
    expect(parseJsonPath('.spec.tags[0')).toBeUndefined();
  });
});

describe('printRows', () => {
  async function table(flags: Partial<Parameters<typeof printRows>[3]>, columns?: number): Promise<string> {
    const io = testIo({ ...(columns === undefined ? {} : { columns }), env: { NO_COLOR: '1' } });
    await printRows(io, RESOURCE, PEOPLE, { output: 'table', headers: true, ...flags });
    return io.stdout.text;
  }

  it('prints a table without borders, wide characters aligned', async () => {
    expect(await table({})).toBe(
      [
        'NAME    AGE      CITY        AGE',
        'ann     30       Köln        5m30s',
        'bo      4        東京        5m30s',
        'chris   <none>   👩‍👩‍👧 family   5m30s',
        '',
      ].join('\n'),
    );
  });

  it('prints every column when wide, labels when asked, and no header when not wanted', async () => {
    expect(await table({ output: 'wide', showLabels: true, headers: false })).toBe(
      [
        'ann     30       Köln        a@x      5m30s   60s   a=1,team=blue',
        'bo      4        東京        <none>   5m30s   60s   <none>',
        'chris   <none>   👩‍👩‍👧 family   <none>   5m30s   60s   <none>',
        '',
      ].join('\n'),
    );
  });

  it('cuts long cells on a terminal only', async () => {
    const long = person('dora', { city: 'Llanfairpwllgwyngyllgogerychwyrndrobwll' });
    const terminal = testIo({ columns: 40, env: { NO_COLOR: '1' } });
    await printRows(terminal, RESOURCE, [long], { output: 'table', headers: true });
    for (const line of terminal.stdout.text.split('\n')) expect(getWidth(line)).toBeLessThanOrEqual(40);
    expect(terminal.stdout.text).toContain('…');
    const pipe = testIo();
    await printRows(pipe, RESOURCE, [long], { output: 'table', headers: true });
    expect(pipe.stdout.text).toContain('Llanfairpwllgwyngyllgogerychwyrndrobwll');
  });

  it.each([
    ['x'.repeat(253), true],
    ['x'.repeat(253), false],
    ['東'.repeat(120), false],
  ])('does not let the long name %.9s widen all rows of a terminal (header: %s)', async (name, headers) => {
    const people = [{ ...person('dora', {}), metadata: { ...person('dora', {}).metadata, name } }, ...PEOPLE];
    const terminal = testIo({ columns: 120, env: { NO_COLOR: '1' } });
    await printRows(terminal, RESOURCE, people, { output: 'table', headers });
    const lines = terminal.stdout.text.trimEnd().split('\n');
    for (const line of lines) expect(getWidth(line)).toBeLessThanOrEqual(120);
    expect(lines[headers ? 1 : 0]).toMatch(/^(x{60,}|東{30,})…/);
    for (const io of [testIo({ columns: 120, env: { NO_COLOR: '1' } }), testIo()]) {
      await printRows(io, RESOURCE, people, { output: io.stdout.isTTY ? 'wide' : 'table', headers });
      expect(io.stdout.text).toContain(name);
    }
  });

  it('keeps names of 63 characters whole in a narrow terminal', async () => {
    const terminal = testIo({ columns: 40, env: { NO_COLOR: '1' } });
    await printRows(terminal, RESOURCE, [person('x'.repeat(63), {})], { output: 'table', headers: true });
    expect(terminal.stdout.text).toContain('x'.repeat(63));
  });

  it('keeps a cell with control characters on its line', async () => {
    const io = testIo();
    await printRows(io, RESOURCE, [person('eve', { city: 'a\nb\u001b[2J' })], {
      output: 'table',
      headers: false,
    });
    expect(io.stdout.text).toContain('a\\nb\\u001b[2J');
  });

  it('prints names as plural/name', async () => {
    expect(await table({ output: 'name' })).toBe('persons/ann\npersons/bo\npersons/chris\n');
  });

  it('stops when nobody reads any more', async () => {
    const io = testIo();
    io.stdout.closeSignal = AbortSignal.abort();
    expect(await printRows(io, RESOURCE, PEOPLE, { output: 'name', headers: true })).toBe(0);
  });
});

describe('printList', () => {
  const head = { apiVersion: 'example.com/v1', kind: 'PersonList', metadata: {}, total: 3 };

  it.each([0, 1, 3])('prints the JSON that JSON.stringify would, with %i items', async (count) => {
    const io = testIo();
    const items = PEOPLE.slice(0, count);
    await printList(io, head, items, 'json');
    expect(io.stdout.text).toBe(`${JSON.stringify({ ...head, items }, undefined, 2)}\n`);
  });

  it('prints YAML', async () => {
    const io = testIo();
    await printList(io, head, PEOPLE.slice(1, 2), 'yaml');
    expect(io.stdout.text).toMatch(
      /^apiVersion: example.com\/v1\nkind: PersonList\nmetadata: {}\ntotal: 3\nitems:\n {0,2}- apiVersion/,
    );
  });

  it('escapes what a terminal would obey on a terminal, and nowhere else', async () => {
    const value = { text: '\u009b31m' };
    const terminal = testIo({ columns: 80 });
    await printValue(terminal, value, 'json');
    expect(terminal.stdout.text).toContain('\\u009b31m');
    expect(JSON.parse(terminal.stdout.text)).toEqual(value);
    const pipe = testIo();
    await printValue(pipe, value, 'json');
    expect(pipe.stdout.text).toContain('\u009b31m');
  });
});

describe('tableColumns', () => {
  it('does not repeat the name, the age and the last change of a model that declares them', () => {
    const columns = [
      { name: 'Who', jsonPath: '.metadata.name', type: 'string' },
      { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
      { name: 'Changed', jsonPath: '.metadata.updateTimestamp', type: 'date' },
    ] as const;
    const titles = tableColumns({ columns }, { wide: true, showLabels: false, now: NOW }).map(
      ({ title }) => title,
    );
    expect(titles).toEqual(['NAME', 'CHANGED', 'AGE']);
  });

  it('shows dates as ages', () => {
    const columns = [{ name: 'Seen', jsonPath: '.spec.seen', type: 'date' }] as const;
    const [, seen] = tableColumns({ columns }, { wide: false, showLabels: false, now: NOW });
    expect(seen?.cell(person('ann', { seen: ago(330) }))).toBe('5m30s');
  });
});

describe('eventPrinter', () => {
  it.each<[EventFlags['output'], string]>([
    [{ template: parseTemplate('{.metadata.name}={.spec.age}{"\\n"}') }, 'ann=30\nbo=4\n'],
    [{ columns: [pathColumn('WHO', readJsonPath('.metadata.name'))] }, 'WHO\nann\nbo\n'],
    ['name', 'persons/ann\npersons/bo\n'],
  ])('prints what -o asks for, %#', async (output, text) => {
    const io = testIo();
    const printer = await eventPrinter(io, RESOURCE, { output, headers: true });
    for (const object of PEOPLE.slice(0, 2)) await printer.print({ type: 'ADDED', object });
    const metadata = { resourceVersion: '1' };
    await printer.print({
      type: 'BOOKMARK',
      object: { apiVersion: 'example.com/v1', kind: 'Person', metadata },
    });
    expect(io.stdout.text).toBe(text);
  });

  it('escapes what a terminal would obey', async () => {
    const io = testIo({ columns: 80 });
    printTemplate(io, parseTemplate('{.text}{"\\n"}'), { text: 'a\u001b[2J' });
    expect(io.stdout.text).toBe('a\\u001b[2J\n');
  });
});

describe('escapeControls', () => {
  it('escapes controls and direction marks and nothing else', () => {
    expect(escapeControls('ä\t\u202e\u007f東')).toBe('ä\\t\\u202e\\u007f東');
  });
});

describe('failureLines', () => {
  it('puts each cause on its own line', () => {
    const error = invalid('Person "ann"', [
      { field: 'spec.age', reason: 'FieldValueInvalid', message: 'must be at least 0' },
      { field: 'spec.x', reason: 'FieldValueForbidden', message: 'unknown field' },
    ]);
    expect(failureLines(error)).toEqual([
      'Person "ann" is invalid',
      '  spec.age: must be at least 0',
      '  spec.x: unknown field',
    ]);
  });

  it('shows a stack only when asked', () => {
    expect(failureLines(notFound('gone'))).toEqual(['gone']);
    expect(failureLines(notFound('gone'), true).length).toBeGreaterThan(1);
  });
});
