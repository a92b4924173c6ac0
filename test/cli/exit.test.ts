import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/lib/config-error.js';
import { EXIT_CODES, getExitCode, UsageError, worstExit } from '../../src/cli/exit.js';
import { conflict, ERROR_CODES, notFound, unavailable } from '../../src/errors.js';

describe('exit codes', () => {
  it('are given to every error code, and none of them says that all is well', () => {
    for (const code of ERROR_CODES) expect(EXIT_CODES[code]).toBeGreaterThan(0);
  });

  it('distinguish usage errors from defects', () => {
    expect(getExitCode(new UsageError('no'))).toBe(2);
    expect(getExitCode(new ConfigError('no'))).toBe(2);
    expect(getExitCode(new TypeError('oops'))).toBe(1);
    expect(getExitCode('thrown text')).toBe(1);
  });

  it('are those of the largest class when several things failed', () => {
    expect(worstExit([])).toBe(0);
    expect(worstExit([conflict('a'), notFound('b')])).toBe(4);
    expect(worstExit([notFound('b'), unavailable('c'), conflict('a')])).toBe(6);
  });
});
