import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Progress } from '../../src/cli/output/progress.js';
import { TestOutput } from './helpers.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('progress', () => {
  it('is a bar on a terminal, renewed ten times a second, and goes away', () => {
    const output = new TestOutput(true, 100);
    const progress = new Progress(output, 'applied', 2000);
    progress.show(0);
    vi.advanceTimersByTime(50);
    progress.show(500);
    vi.advanceTimersByTime(50);
    progress.show(1000);
    progress.clear();
    expect(output.text).toBe(
      `\r[${'.'.repeat(24)}]   0 % applied 0 of 2000\u001b[K` +
        `\r[${'#'.repeat(12)}${'.'.repeat(12)}]  50 % applied 1000 of 2000\u001b[K\r\u001b[K`,
    );
  });

  it('has no bar on a narrow terminal, or when the end is not known', () => {
    const narrow = new TestOutput(true, 60);
    new Progress(narrow, 'applied', 2000).show(1);
    expect(narrow.text).toBe('\rapplied 1 of 2000\u001b[K');
    const unknown = new TestOutput(true, 100);
    new Progress(unknown, 'imported', undefined).show(1500);
    expect(unknown.text).toBe('\rimported 1500\u001b[K');
  });

  it('is a plain line every ten seconds elsewhere', () => {
    const output = new TestOutput();
    const progress = new Progress(output, 'imported', undefined);
    for (let second = 1; second <= 25; second += 1) {
      vi.advanceTimersByTime(1000);
      progress.show(second * 1000);
    }
    progress.clear();
    expect(output.text).toBe('imported 10000\nimported 20000\n');
  });

  it('says nothing of little work', () => {
    const output = new TestOutput(true, 100);
    const progress = new Progress(output, 'applied', 999);
    progress.show(500);
    progress.clear();
    expect(output.text).toBe('');
  });
});
