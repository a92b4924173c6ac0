import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { compareAnswers } from './deviations.js';
import { readRecorded, Replay } from './replay.js';
test('replay', async () => {
  const replay = await Replay.start();
  const out: unknown[] = [];
  let n = 0, same = 0, plain = 0;
  const counts: Record<string, number> = {};
  for (const s of readRecorded().sequences) {
    let i = 0;
    for (const one of await replay.run(s)) {
      n++;
      const { theirs, own, isEqual, seen } = compareAnswers(one);
      if (isEqual) { same++; for (const d of seen) counts[d.own] = (counts[d.own] ?? 0) + 1; }
      else out.push({ title: s.title, i, at: one.step.at, request: one.step.request, ref: theirs, own, message: (one.own.body as any)?.message });
      i++;
    }
  }
  console.log('RESULT', n, same, JSON.stringify(counts, undefined, 1));
  writeFileSync('/tmp/kube/diff.json', JSON.stringify(out));
  await replay.close();
}, 500000);
