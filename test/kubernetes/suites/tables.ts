import { readFileSync } from 'node:fs';
import { REASONS, type SuiteReason } from './reasons.js';

/** The numbers of one package of a public suite. */
export interface SuiteRow {
  readonly project: string;
  readonly version: string;
  readonly package: string;
  readonly kind: string;
  readonly passed: number;
  readonly failed: readonly string[];
}

/** The numbers of a file of tests with clients. */
interface ClientRow {
  readonly file: string;
  readonly title: string;
  readonly passed: number;
  readonly failed: number;
}

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'));

export const SUITE_ROWS = recorded('suites') as readonly SuiteRow[];
export const CLIENT_ROWS = recorded('clients') as readonly ClientRow[];

/** Whether a reason is about a test that fails. */
export function covers({ tests }: SuiteReason, suite: string, name: string): boolean {
  return (tests[suite] ?? []).some((pattern) => pattern.test(name));
}

/** The public suites, in Markdown. */
export function suiteTable(): string {
  const rows = SUITE_ROWS.map(({ project, version, package: name, kind, passed, failed }) => {
    const part = name.split('/').slice(-2).join('/');
    return [`${project} ${version}`, `\`${part}\``, kind, passed, failed.length];
  });
  return table(['suite of', 'package', 'about', '--: passed', '--: failed'], rows);
}

/** Why tests of public suites fail, in Markdown. */
export function reasonTable(): string {
  const failed = SUITE_ROWS.flatMap((row) => row.failed.map((name) => [row.package, name] as const));
  const rows = REASONS.map((reason) => {
    const covered = failed.filter(([suite, name]) => covers(reason, suite, name));
    return [reason.reason, covered.length];
  });
  return table(['why tests fail', '--: tests'], rows);
}

/** Tests of this repository with clients of others, in Markdown. */
export function clientTable(): string {
  return table(
    ['file', 'tests of', '--: tests', '--: passed'],
    CLIENT_ROWS.map(({ file, title, passed, failed }) => [`\`${file}\``, title, passed + failed, passed]),
  );
}

function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : cell)).join(' | ')} |`;
  return [
    line(heads.map((head) => head.replace('--: ', ''))),
    line(heads.map((head) => (head.startsWith('--: ') ? '--:' : '---'))),
    ...rows.map(line),
  ].join('\n');
}
