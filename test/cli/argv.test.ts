import { describe, expect, it } from 'vitest';
import { withPlainDryRun } from '../../src/cli/argv.js';

describe('--dry-run', () => {
  it.each([
    [
      ['apply', '--dry-run=server'],
      ['apply', '--dry-run'],
    ],
    [
      ['apply', '--dry-run=client'],
      ['apply', '--dry-run'],
    ],
    [
      ['apply', '--dry-run=none', '-f', 'x'],
      ['apply', '-f', 'x'],
    ],
    [
      ['delete', 'persons', '--dry-run', 'server'],
      ['delete', 'persons', '--dry-run', 'server'],
    ],
    [
      ['get', 'persons', '--', '--dry-run=none'],
      ['get', 'persons', '--', '--dry-run=none'],
    ],
    [
      ['apply', '--dry-run=maybe'],
      ['apply', '--dry-run=maybe'],
    ],
  ])('%j is read as %j', (given, expected) => {
    expect(withPlainDryRun(given)).toEqual(expected);
  });
});
