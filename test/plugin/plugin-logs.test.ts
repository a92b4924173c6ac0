import { describe, expect, it } from 'vitest';
import { SILENT } from '../../src/lib/log/logger.js';
import { LINE_LENGTH_MAX } from '../../src/plugin/log/format-line.js';
import { LOG_BYTES_MAX, PluginLog } from '../../src/plugin/log/plugin-log.js';
import { PluginLogs } from '../../src/plugin/log/plugin-logs.js';
import { tagged } from '../../src/daemon/plugin-host.js';

const NOW = new Date('2026-11-27T09:00:00Z');
const linesOf = (logs: PluginLogs, plugin: string) => logs.get(plugin).read(0).lines;

describe('the logs of plugins', () => {
  it('have the lines of each plugin alone, whatever fields it gives', () => {
    const logs = new PluginLogs({ now: () => NOW });
    const logger = logs.follow(SILENT);
    const shop = tagged(logger, 'shop');
    shop.info('opened', { door: 1, note: 'a b' });
    shop.warn('I am another', { plugin: 'press' });
    tagged(logger, 'press').error('failed', { error: { deep: [1] } });
    logger.info('of the service');
    logger.info('by number', { plugin: 7 });
    expect(linesOf(logs, 'shop')).toEqual([
      '2026-11-27T09:00:00.000Z INFO opened door=1 note=a b',
      '2026-11-27T09:00:00.000Z WARN I am another',
    ]);
    expect(linesOf(logs, 'press')).toEqual(['2026-11-27T09:00:00.000Z ERROR failed error={"deep":[1]}']);
    expect(logs.has('7')).toBe(false);
  });

  it('have lines for debugging only where they are wanted', () => {
    const lines = [false, true].map((keepsDebug) => {
      const logs = new PluginLogs({ keepsDebug });
      tagged(logs.follow(SILENT), 'a').debug('x');
      return linesOf(logs, 'a').length;
    });
    expect(lines).toEqual([0, 1]);
  });

  it('have one line for each record, in bounded length, whatever it contains', () => {
    const logs = new PluginLogs({ now: () => NOW });
    const logger = tagged(logs.follow(SILENT), 'a');
    const circular: { self?: unknown } = {};
    circular.self = circular;
    logger.info('two\nlines\r\u001b[31m', { circular, big: 1n });
    logger.info('x'.repeat(LINE_LENGTH_MAX * 2));
    const [first = '', second = ''] = linesOf(logs, 'a');
    expect(first).toBe('2026-11-27T09:00:00.000Z INFO two\\nlines\\u000d\\u001b[31m circular=? big=?');
    expect(second).toMatch(/x… \(8030 more characters\)$/);
  });

  it('are those of a bounded number of plugins', () => {
    const logs = new PluginLogs();
    const logger = logs.follow(SILENT);
    for (let i = 0; i < 1_001; i++) logger.info('x', { plugin: `p${i}` });
    expect([logs.has('p0'), logs.has('p1'), logs.has('p1000')]).toEqual([false, true, true]);
  });
});

describe('the log of a plugin', () => {
  it('keeps the last lines up to its limit, and counts lost ones', () => {
    const log = new PluginLog();
    const line = 'x'.repeat(1_023);
    for (let i = 0; i < LOG_BYTES_MAX / 1_024; i++) log.add(line);
    expect(log.read(0)).toMatchObject({ lost: 0, next: 256 });
    log.add('é');
    const part = log.read(0);
    expect([part.lost, part.lines.length, part.lines.at(-1), part.next]).toEqual([1, 256, 'é', 257]);
    expect(log.read(257)).toEqual({ lines: [], next: 257, lost: 0 });
    expect(log.read(1, 2)).toMatchObject({ next: 3 });
  });

  it('wakes those that wait, and forgets those that are gone', async () => {
    const log = new PluginLog();
    const gone = new AbortController();
    const [waiting, ending] = [log.waitFor(0, new AbortController().signal), log.waitFor(0, gone.signal)];
    gone.abort();
    await ending;
    log.add('x');
    await waiting;
    await log.waitFor(0, new AbortController().signal);
  });
});
