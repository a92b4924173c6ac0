import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { OTHERWISE } from '../kind-exceptions.js';
import { DEVIATIONS, type Comparison } from './deviations.js';

type Row = readonly [what: string, test: string, answers: number, equal: number];

/** The sets of answers that tests compare, in Markdown. Tests fail where an answer of a set differs otherwise. */
export function setTable(server: string, comparisons: readonly Comparison[]): string {
  const equal = comparisons.filter(({ seen }) => seen.every(({ isAddition }) => isAddition === true));
  const rows: readonly Row[] = [
    alike('calls of the tests of structured-merge-diff v6', 'apply/library-vectors', casesIn('library')),
    alike('random sequences with structured-merge-diff v6', 'apply/library-vectors', casesIn('sequences')),
    alike(
      'the field manager of Kubernetes, in random sequences',
      'apply/field-manager',
      casesIn('field-manager'),
    ),
    [`writes to a kube-apiserver ${server}`, 'apply/apiserver', comparisons.length, equal.length],
    kindRow(),
  ];
  return [
    '| answers of | test in `test/kubernetes` | answers | equal |',
    '| --- | --- | --: | --: |',
    ...rows.map((row) => `| ${row.map(format).join(' | ')} |`),
  ].join('\n');
}

const format = (value: string | number): string =>
  typeof value === 'number' ? value.toLocaleString('en-US') : value;

const alike = (what: string, test: string, answers: number): Row => [what, test, answers, answers];

/** Requests about kinds of Kubernetes; their test has the exceptions. */
function kindRow(): Row {
  const text = readFileSync(new URL('../kind-answers.json', import.meta.url), 'utf8');
  const answers = Object.values(JSON.parse(text) as Readonly<Record<string, readonly unknown[]>>).flat()
    .length;
  return [
    'a kube-apiserver to kinds that the service has',
    'kinds',
    answers,
    answers - Object.values(OTHERWISE).flat().length,
  ];
}

function casesIn(name: string): number {
  const text = gunzipSync(readFileSync(new URL(`${name}.json.gz`, import.meta.url))).toString();
  const { cases } = JSON.parse(text) as { readonly cases: readonly unknown[] };
  return cases.length;
}

/** The differences on purpose, with the number of answers that show them, in Markdown. */
export function deviationTable(comparisons: readonly Comparison[]): string {
  const rows = DEVIATIONS.map((deviation) => {
    const count = comparisons.filter(({ seen }) => seen.includes(deviation)).length;
    return `| ${deviation.own} | ${deviation.theirs} | ${deviation.reason} | ${format(count)} |`;
  });
  return ['| xsvc | Kubernetes | reason | answers |', '| --- | --- | --- | --: |', ...rows].join('\n');
}
