import { describe, expect, it } from 'vitest';
import { getEditor } from '../../src/cli/commands/write/edit.js';
import {
  findChanges,
  getEditablePart,
  formatEdited,
  parseEdited,
  withComment,
  withoutComment,
} from '../../src/cli/edit/buffer.js';
import { testIo } from './helpers.js';
import type { ExtensionObject } from '../../src/model/object.js';
import { LAST_APPLIED } from '../../src/model/applied-manifests.js';

const LIVE: ExtensionObject = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: {
    name: 'a',
    labels: { x: '1' },
    annotations: { note: 'n', [LAST_APPLIED]: '{}' },
    uid: 'u',
    generation: 1,
    version: 0,
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00.000Z',
    updateTimestamp: '2026-01-01T00:00:00.000Z',
  },
  spec: { text: '# no comment\n#at all\n', gone: 1 },
};

function edited(change: (value: ReturnType<typeof getEditablePart>) => void): unknown {
  const value = structuredClone(getEditablePart(LIVE));
  change(value);
  return findChanges(getEditablePart(LIVE), value, LIVE);
}

describe('the text that is edited', () => {
  it('has neither fields of the service nor those of apply', () => {
    expect(getEditablePart(LIVE)).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a', labels: { x: '1' }, annotations: { note: 'n' } },
      spec: LIVE.spec,
    });
  });

  it.each(['yaml', 'json'] as const)('comes back as it was from under comments, as %s', (format) => {
    const text = withComment(['one', '', 'two'], formatEdited(getEditablePart(LIVE), format));
    expect(text).toMatch(/^# one\n#\n# two\n/);
    expect(parseEdited(withoutComment(text))).toEqual(getEditablePart(LIVE));
  });

  it('must be one object', () => {
    expect(() => parseEdited('- a')).toThrow('must contain one object');
    expect(() => parseEdited('a: 1\n---\nb: 2\n')).toThrow('expected one document');
  });
});

describe('an edit as a patch', () => {
  it('is nothing when nothing was changed', () => {
    expect(edited(() => undefined)).toBeUndefined();
  });

  it('has the added, replaced and removed fields', () => {
    expect(edited((value) => (value.spec = { text: 'new', more: [1] }))).toEqual({
      spec: { text: 'new', more: [1], gone: null },
    });
  });

  it('never removes a field that was not shown', () => {
    expect(
      edited((value) => {
        value.metadata = { name: 'a', labels: { x: '1' } };
      }),
    ).toEqual({ metadata: { annotations: { note: null } } });
  });
});

describe('the editor', () => {
  it.each([
    [{ XSVC_EDITOR: 'a', VISUAL: 'b', EDITOR: 'c' }, 'a'],
    [{ VISUAL: 'b', EDITOR: 'c' }, 'b'],
    [{ VISUAL: ' ', EDITOR: 'code --wait' }, 'code --wait'],
    [{ KUBE_EDITOR: 'k', EDITOR: 'c' }, 'k'],
    [{}, undefined],
  ])('of %j is %s without a terminal', (env, expected) => {
    expect(getEditor(testIo({ env }))).toBe(expected);
  });

  it('is vi only on a terminal', () => {
    expect(getEditor({ ...testIo({ columns: 80 }), stdinIsTTY: true })).toBe('vi');
    expect(getEditor(testIo({ columns: 80 }))).toBeUndefined();
  });
});
