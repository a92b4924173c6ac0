import { describe, expect, it } from 'vitest';
import { findLink } from '../../src/console/lib/links.js';
import { getReferences, valuesAt } from '../../src/console/lib/references.js';

describe('a text of an object', () => {
  it.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTP://Example.com:8080/a?b=c,d#e', 'http://example.com:8080/a?b=c,d#e'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['http://[::1]/', 'http://[::1]/'],
    ['ada@example.com', 'mailto:ada@example.com'],
    ['ada+list@mail.example.com', 'mailto:ada%2Blist@mail.example.com'],
    ['ada?bcc=eve@example.com', 'mailto:ada%3Fbcc%3Deve@example.com'],
  ])('is a link when it is one URL or one e-mail address: %s', (text, link) => {
    expect(findLink(text)).toBe(link);
  });

  it.each([
    'javascript:alert(1)',
    ' https://example.com',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'ftp://example.com',
    '//example.com',
    'example.com',
    'https://',
    'https://a.example,https://b.example',
    'see https://example.com',
    'ada@localhost',
    'Ada <ada@example.com>',
    'ada@example.com, eve@example.com',
    '@example.com',
    `https://example.com/${'x'.repeat(2_000)}`,
    '',
  ])('is no link otherwise: %s', (text) => {
    expect(findLink(text)).toBeUndefined();
  });
});

describe('the references of a schema', () => {
  const team = { type: 'string', 'x-xsvc-reference': { group: 'org.example.com', kind: 'Team' } };
  const list = (items: object): object => ({ type: 'array', items });
  const object = (properties: object): object => ({ type: 'object', properties });

  it('are found in fields, lists, lists of objects and named schemas', () => {
    const spec = object({
      team,
      others: list(team),
      shares: list(object({ team })),
      home: { $ref: '#/$defs/Place' },
      mixed: { allOf: [object({ team })] },
    });
    const schema = { ...object({ spec }), $defs: { Place: object({ team }) } };
    expect(getReferences(schema)).toEqual(
      ['team', 'others', 'shares.team', 'home.team', 'mixed.team'].map((path) => ({
        group: 'org.example.com',
        kind: 'Team',
        path: ['spec', ...path.split('.')],
      })),
    );
  });

  it('end where schemas contain themselves', () => {
    const Node = object({ team, next: { $ref: '#/$defs/Node' }, all: list({ $ref: '#/$defs/Node' }) });
    const paths = getReferences({ ...object({ root: { $ref: '#/$defs/Node' } }), $defs: { Node } }).map(
      ({ path }) => path.join('.'),
    );
    expect(paths).toEqual(['root.team']);
  });

  it('have each name of an object once, also those in lists', () => {
    const shares = [{ team: 'a' }, { team: 'b' }, { team: 'a' }, {}, { team: 3 }];
    expect(valuesAt({ spec: { shares } }, ['spec', 'shares', 'team'])).toEqual(['a', 'b']);
    expect(valuesAt({ spec: { names: ['x', 'y'] } }, ['spec', 'names'])).toEqual(['x', 'y']);
    expect(valuesAt({ spec: {} }, ['spec', 'constructor'])).toEqual([]);
  });
});
