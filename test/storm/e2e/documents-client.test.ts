import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { clientPages } from '../../helpers/client-reference.js';
import { ROOT } from '../../helpers/reference.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterAll(removeDirectories);

it('The pages of what plugins import say what the source says', () => {
  const pages = clientPages(temporaryDirectory());
  for (const { file, text } of pages) {
    if (process.env.RECORD === '1') writeFileSync(path.join(ROOT, file), text);
    expect(readFileSync(path.join(ROOT, file), 'utf8'), 'npm run docs writes it again').toBe(text);
  }
});
