import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import { Work } from '../../src/lib/work/work.js';

describe('work', () => {
  it('goes on up to the limit of entries and ends beyond it', () => {
    const work = new Work({ entriesMax: 10 });
    work.addEntries(4);
    work.addEntries(6);
    expect(work.entries).toBe(10);
    expect(() => {
      work.addEntries(1);
    }).toThrow(/more than 10 index entries/);
  });

  it('ends with the reason of its signal', () => {
    const controller = new AbortController();
    const work = new Work({ signal: controller.signal });
    work.check();
    controller.abort(new ServiceError('Timeout', 'the time limit of 30 s has passed'));
    expect(() => {
      work.check();
    }).toThrow('the time limit of 30 s has passed');
    expect(() => {
      work.addEntries(1);
    }).toThrow('the time limit of 30 s has passed');
  });

  it('has no limits unless they are given', () => {
    const work = new Work();
    work.addEntries(1e9);
    expect(work.entries).toBe(1e9);
  });
});
