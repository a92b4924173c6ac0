import { parsePostgresAddress } from '../../src/engines/postgres/address.js';
import { openPostgresLog } from '../../src/engines/postgres/log.js';
import type { OpenLog } from './shared-log-suite.js';

let schemas = 0;
/** Each store has a separate schema. */
export function newSchema(): string {
  schemas += 1;
  return `store_${schemas}`;
}

interface LogGiven {
  /** More options of the address: `&notify=off`. */
  readonly query?: string;
  readonly timeoutMs?: number;
  readonly warnings?: string[];
}

export function logAt(ports: readonly number[], schema: string, given: LogGiven = {}): OpenLog {
  const { query = '', timeoutMs = 20_000, warnings = [] } = given;
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const address = parsePostgresAddress(`postgres://postgres@${hosts}/postgres?schema=${schema}${query}`);
  return () => openPostgresLog(address, { timeoutMs, warn: (message) => warnings.push(message) });
}
