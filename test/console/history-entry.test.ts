import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

interface EntryModule {
  readonly HistoryEntry: FunctionComponent<{ item: object; action: undefined; onAct: () => void }>;
}

/** The text of an entry when it is selected and copied. */
async function readableEntry(item: object): Promise<string> {
  const { HistoryEntry } = await vi.importActual<EntryModule>(
    '../../src/console/pages/object/history/history-entry.tsx',
  );
  const markup = renderToStaticMarkup(
    createElement(HistoryEntry, { item, action: undefined, onAct: () => undefined }),
  );
  return markup.replace(/<\/(?:li|div)>/g, '\n').replace(/<[^>]*>/g, '');
}

it('each changed field stands apart from its values', async () => {
  const changes = [
    { path: 'spec.size', from: 1000, to: 1001 },
    { path: 'spec.tier', to: 'gold' },
    { path: 'spec.note', from: 'old' },
  ];
  const item = {
    resourceVersion: '7',
    time: '2026-11-20T08:00:00.123Z',
    verb: 'update',
    user: 'ada',
    changes,
  };
  const text = await readableEntry(item);
  const lines = text.split('\n').map((line) => line.replace(/ +/g, ' ').trim());
  expect(lines.slice(1, 4)).toEqual(['spec.size 1000 1001', 'spec.tier gold', 'spec.note old']);
  expect(lines[0]).toMatch(/^Updated by ada \d+\w+ Nov 20, 2026, /);
});
