import { describe, expect, test } from 'vitest';
import { Answering, readVectors } from './library-vectors.js';

describe.each(['library.json.gz', 'sequences.json.gz'])('answers of structured-merge-diff in %s', (file) => {
  const vectors = readVectors(file);
  const answering = new Answering(vectors);

  test.each(vectors.cases.map((vector) => [`${vector.kind} of ${vector.name}`, vector] as const))(
    '%s',
    (_, vector) => {
      const { ours, theirs } = answering.answers(vector);
      expect(ours).toEqual(theirs);
    },
  );
});
