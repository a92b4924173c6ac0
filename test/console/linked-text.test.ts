import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, vi } from 'vitest';

const TEAM = { group: 'org.example.com', version: 'v1', plural: 'teams' };
const PAGE = '#/models/org.example.com/v1/teams/';

interface CellModule {
  readonly TextCell: FunctionComponent<{ value: string }>;
}

interface TreeModule {
  readonly Tree: FunctionComponent<{ value: unknown; path: string; targets: ReadonlyMap<string, object> }>;
}

async function cell(value: string): Promise<string> {
  const file = '../../src/console/pages/list/table/text-cell.tsx';
  const { TextCell } = await vi.importActual<CellModule>(file);
  return renderToStaticMarkup(createElement(TextCell, { value }));
}

async function tree(value: object): Promise<string> {
  const { Tree } = await vi.importActual<TreeModule>('../../src/console/parts/tree.tsx');
  const targets = new Map([
    ['spec.team', TEAM],
    ['spec.shares.team', TEAM],
  ]);
  return renderToStaticMarkup(createElement(Tree, { value, path: '', targets }));
}

const linksIn = (markup: string): string[] =>
  [...markup.matchAll(/href="([^"]*)"/g)].map(([, to = '']) => to);

describe('a cell of a list', () => {
  it('joins the items of an array', async () => {
    expect(linksIn(await cell('["https://a.example/?q=1,2"]'))).toEqual(['https://a.example/?q=1,2']);
    expect(await cell('["a",1]')).toBe('a, 1');
    expect(await cell('[]')).toBe('');
    expect(await cell('[{"a":1}]')).toBe('[{&quot;a&quot;:1}]');
  });

  it('opens a URL in a new tab that cannot reach the console', async () => {
    const markup = await cell('https://example.com/?q=a,b');
    expect(linksIn(markup)).toEqual(['https://example.com/?q=a,b']);
    expect(markup).toContain('target="_blank" rel="noopener noreferrer"');
  });

  it('has a link for each of several URLs', async () => {
    expect(linksIn(await cell('https://a.example/,b@c.example'))).toEqual([
      'https://a.example/',
      'mailto:b@c.example',
    ]);
  });

  it('is text when it is anything else, or too long', async () => {
    expect(await cell('javascript:alert(1)')).toBe('javascript:alert(1)');
    expect(await cell('a, b')).toBe('a, b');
    expect(linksIn(await cell(`https://example.com/${'x'.repeat(300)}`))).toEqual([]);
  });
});

describe('the content of an object', () => {
  it('has links at its references, URLs and e-mail addresses', async () => {
    const spec = {
      team: 'red',
      name: 'red',
      shares: [{ team: 'blue', percent: 50 }],
      home: 'https://example.com',
      mail: 'a@example.com',
    };
    expect(linksIn(await tree({ spec }))).toEqual([
      `${PAGE}red`,
      `${PAGE}blue`,
      'https://example.com/',
      'mailto:a@example.com',
    ]);
  });

  it('has no link with another scheme', async () => {
    expect(linksIn(await tree({ spec: { home: 'javascript:alert(1)', other: 'data:text/html,x' } }))).toEqual(
      [],
    );
  });
});
