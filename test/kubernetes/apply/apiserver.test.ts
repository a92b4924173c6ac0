import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageWith, ROOT } from '../../helpers/reference.js';
import { removeDirectories } from '../../helpers/store.js';
import { compareAnswers, type Comparison } from './deviations.js';
import { deviationTable, setTable } from './fidelity.js';
import { readRecorded, Replay } from './replay.js';

const { server, sequences } = readRecorded();
const comparisons: Comparison[] = [];
let replay: Replay;
beforeAll(async () => {
  replay = await Replay.start();
});
afterAll(async () => {
  await replay.close();
  removeDirectories();
});

describe(`answers of a kube-apiserver ${server}`, () => {
  test.each(sequences.map((sequence) => [sequence.title, sequence] as const))(
    '%s',
    { timeout: 60_000 },
    async (_, sequence) => {
      const replayed = await replay.run(sequence);
      const compared = replayed.map(compareAnswers);
      comparisons.push(...compared);
      const found = compared.findIndex(({ isEqual }) => !isEqual);
      const { theirs, own } = compared[found] ?? {};
      const request = replayed[found]?.step.request;
      expect({ found, request, answer: own }).toEqual({ found: -1, request, answer: theirs });
    },
  );

  test.each([
    ['sets', () => setTable(server, comparisons)],
    ['differences', () => deviationTable(comparisons)],
  ])('docs/reference/fidelity.md is up to date in its %s', async (part, table) => {
    const file = 'docs/reference/fidelity.md';
    const page = await pageWith(file, part, table());
    if (process.env.RECORD === '1') writeFileSync(path.join(ROOT, file), page);
    expect(readFileSync(path.join(ROOT, file), 'utf8'), 'npm run docs writes it again').toBe(page);
  });
});
