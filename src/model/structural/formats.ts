import { isIPv6 } from 'node:net';
import { linearRegExp } from '../../lib/linear-reg-exp.js';
import { countedFormat } from '../validate/counted-checks.js';

type Format = (text: string) => boolean;

export const isInt32 = (n: number): boolean => Number.isInteger(n) && n >= -(2 ** 31) && n < 2 ** 31;
export const isInt64 = (n: number): boolean => Number.isInteger(n) && n >= -(2 ** 63) && n < 2 ** 63;

/** The check of a format that Kubernetes knows; undefined for any other, which is ignored there. */
export function findFormat(name: string): Format | undefined {
  const isValid = FORMATS.get(name.replaceAll('-', ''));
  return isValid && countedFormat(isValid);
}

/** A text that the pattern matches in linear time. It is compiled on first use. */
function pattern(text: string): Format {
  let compiled: Format | undefined;
  return (value) => {
    if (compiled === undefined) {
      const expression = linearRegExp(text);
      compiled = (one) => expression.test(one);
    }
    return compiled(value);
  };
}

const OCTET = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
const HEX = '[0-9a-fA-F]';
const BASE64 = '[A-Za-z0-9+\\/]';
const ATOMS = '[^\\s()<>@,;:\\\\".\\[\\]]+(?:\\.[^\\s()<>@,;:\\\\".\\[\\]]+)*';
const QUOTED = '"(?:[^"\\\\\\r\\n]|\\\\.)*"';
const ADDRESS = `(?:${ATOMS}|${QUOTED})@(?:${ATOMS}|\\[[^\\[\\]\\\\\\s]*\\])`;
const SHORT_NAME = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const LONG_NAME_BYTES_MAX = 253;

function uuid(version: string, variant: string): Format {
  const group = `-?${HEX}{4}`;
  return pattern(`^${HEX}{8}${group}-?${version}${HEX}{3}-?${variant}${HEX}{3}-?${HEX}{12}$`);
}

const isBase64 = pattern(`^(?:${BASE64}{4})*(?:${BASE64}{2}==|${BASE64}{3}=|${BASE64}{4})$`);
const isShortName = pattern(`^${SHORT_NAME}$`);
const isLongName = pattern(`^${SHORT_NAME}(?:\\.${SHORT_NAME})*$`);
const isMail = pattern(
  `^\\s*(?:${ADDRESS}|(?:[^\\s()<>@,;:\\\\"\\[\\]]+\\s*|${QUOTED}\\s*)*<${ADDRESS}>)\\s*$`,
);
const isHostPattern = pattern(
  '^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|' +
    '([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$',
);

const HOST_BYTES_MAX = 255;
const LABEL_BYTES_MAX = 63;

function isHost(text: string): boolean {
  return (
    Buffer.byteLength(text) <= HOST_BYTES_MAX &&
    text.split('.').every((label) => Buffer.byteLength(label) <= LABEL_BYTES_MAX) &&
    isHostPattern(text)
  );
}

const V4 = /^\d+\.\d+\.\d+\.\d+$/;

/** Leading zeros are allowed, and a zone is not. */
function isV4(text: string): boolean {
  return V4.test(text) && text.split('.').every((part) => Number(part) <= 255);
}

function isV6(text: string): boolean {
  return !text.includes('%') && isIPv6(text);
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const max = isV4(address) ? 32 : isV6(address) ? 128 : -1;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= max;
}

/** 6, 8 or 20 bytes. */
const isMac = pattern(
  [5, 7, 19]
    .flatMap((more) => [`${HEX}{2}(?::${HEX}{2}){${more}}`, `${HEX}{2}(?:-${HEX}{2}){${more}}`])
    .concat([2, 3, 9].map((more) => `${HEX}{4}(?:\\.${HEX}{4}){${more}}`))
    .map((form) => `^${form}$`)
    .join('|'),
);

/** An absolute URI, or an absolute path. */
function isUri(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- they are refused
  if (/[\u0000-\u001f\u007f]/.test(text)) return false;
  const [, scheme, rest = ''] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?([^?]*)/.exec(text) ?? [];
  if (!rest.startsWith('/')) return scheme !== undefined || text === '*';
  if (/%(?![0-9a-fA-F]{2})/.test(rest)) return false;
  const [, authority = ''] = /^\/\/([^/]*)/.exec(rest) ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return !/[\s<>"\\^`{|}]/.test(host) && /^(?:\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/.test(host);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const [year = 0, month = 0, day = 0] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).slice(1).map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0));
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  return isDate(date) && /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.test(time);
}

const UNITS = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

/** As Go or Scala writes it: `1h30m`, `22 ns`, `3 weeks`. Other text beside a number with a unit is ignored there. */
function isDuration(text: string): boolean {
  if (/^[+-]?0$/.test(text)) return true;
  // A digit starts at most one match, so that the time is linear.
  const parts = [...text.matchAll(/(\d+)(\D*)/g)].flatMap(([, count = '', suffix = '']) => {
    const [, unit] = /^\s*([A-Za-zµ]+)/.exec(suffix) ?? [];
    return unit === undefined ? [] : [{ count, unit }];
  });
  return parts.every(({ count }) => isInt64(Number(count))) && parts.some(({ unit }) => UNITS.test(unit));
}

/** The sum of all digits, each changed by its position. An X is 10. */
function sumOf(digits: string, weigh: (digit: number, at: number) => number): number {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) sum += weigh(digits[at] === 'X' ? 10 : Number(digits[at]), at);
  return sum;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  return /^\d{9}[\dX]$/.test(digits) && sumOf(digits, (digit, at) => digit * (at + 1)) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  return /^\d{13}$/.test(digits) && sumOf(digits, (digit, at) => digit * (at % 2 === 0 ? 1 : 3)) % 10 === 0;
}

const CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCard(text: string): boolean {
  const digits = text.replace(/\D+/g, '');
  const last = digits.length - 1;
  // Every second digit from the right is doubled, and the sum of its digits counts.
  const weigh = (digit: number, at: number): number =>
    (last - at) % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  return CARD.test(digits) && sumOf(digits, weigh) % 10 === 0;
}

/** By their names without dashes. */
const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['bsonobjectid', (text) => /^[0-9a-f]{24}$/i.test(text)],
  ['uri', isUri],
  ['email', isMail],
  ['hostname', isHost],
  ['ipv4', (text) => isV4(text) || (text.includes('.') && isV6(text))],
  ['ipv6', isV6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', uuid(HEX, HEX)],
  ['uuid3', uuid('3', HEX)],
  ['uuid4', uuid('4', '[89abAB]')],
  ['uuid5', uuid('5', '[89abAB]')],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d\d[- ]?\d{4}$/.test(text)],
  ['hexcolor', (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', pattern(`^rgb\\(\\s*${OCTET}\\s*,\\s*${OCTET}\\s*,\\s*${OCTET}\\s*\\)$`)],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= LABEL_BYTES_MAX && isShortName(text)],
  ['k8slongname', (text) => text.length <= LONG_NAME_BYTES_MAX && isLongName(text)],
]);
