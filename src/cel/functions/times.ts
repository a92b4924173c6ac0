import { fail } from '../failure.js';
import { DURATION, method, STRING, TIMESTAMP, type Overload } from '../overload.js';
import type { Timestamp } from '../scalars.js';
import * as types from '../types.js';

const MILLISECOND = 1_000_000n;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const OFFSET = /^([+-]?)(\d{1,2}):(\d\d)$/;

/** Reads a part of a timestamp. @param local the local time in its zone, as if it were UTC */
type Read = (local: Date) => number;

const READS: Readonly<Record<string, Read>> = {
  getFullYear: (local) => local.getUTCFullYear(),
  getMonth: (local) => local.getUTCMonth(),
  getDate: (local) => local.getUTCDate(),
  getDayOfMonth: (local) => local.getUTCDate() - 1,
  getDayOfWeek: (local) => local.getUTCDay(),
  getDayOfYear: (local) => Math.floor((local.getTime() - startOfYear(local)) / DAY_MS),
  getHours: (local) => local.getUTCHours(),
  getMinutes: (local) => local.getUTCMinutes(),
  getSeconds: (local) => local.getUTCSeconds(),
  getMilliseconds: (local) => local.getUTCMilliseconds(),
};

/** The nanoseconds of one unit of a duration, and the number of units after which the count starts again. */
const SPANS: Readonly<Record<string, readonly [size: bigint, modulo?: bigint]>> = {
  getHours: [3_600_000n * MILLISECOND],
  getMinutes: [60_000n * MILLISECOND],
  getSeconds: [1000n * MILLISECOND],
  getMilliseconds: [MILLISECOND, 1000n],
};

function startOfYear(local: Date): number {
  const start = new Date(local);
  start.setUTCMonth(0, 1);
  return start.setUTCHours(0, 0, 0, 0);
}

function getMillis({ nanos }: Timestamp): number {
  return Number((nanos - (((nanos % MILLISECOND) + MILLISECOND) % MILLISECOND)) / MILLISECOND);
}

/** @param zone a name such as `Europe/Berlin`, or an offset such as `+02:00` */
function toZone(timestamp: Timestamp, zone: string): Date {
  const millis = getMillis(timestamp);
  const [, sign, hours, minutes] = OFFSET.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  return new Date(millis + (Number.isNaN(offset) ? getOffset(new Date(millis), zone) : offset));
}

function getOffset(date: Date, zone: string): number {
  const parts = getFormat(zone).formatToParts(date);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  const local = new Date(0);
  local.setUTCFullYear(part('year'), part('month') - 1, part('day'));
  local.setUTCHours(part('hour'), part('minute'), part('second'));
  return local.getTime() - Math.floor(date.getTime() / 1000) * 1000;
}

function getFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return fail(`${JSON.stringify(timeZone.slice(0, 40))} is not a time zone`);
  }
}

/** Steps to look up a time zone. */
const ZONE_STEPS = 500;

/** Functions of timestamps and durations. */
export const TIMES: readonly Overload[] = [
  ...Object.entries(READS).flatMap(([name, read]) => [
    method(name, [TIMESTAMP], types.INT, ([time]) => BigInt(read(new Date(getMillis(time))))),
    method(name, [TIMESTAMP, STRING], types.INT, ([time, zone], frame) => {
      frame.spend(ZONE_STEPS);
      return BigInt(read(toZone(time, zone)));
    }),
  ]),
  ...Object.entries(SPANS).map(([name, [size, modulo]]) =>
    method(name, [DURATION], types.INT, ([{ nanos }]) =>
      modulo === undefined ? nanos / size : (nanos / size) % modulo,
    ),
  ),
];
