import { expect, it } from 'vitest';
import { folderSentences, sourceFolders } from '../helpers/folders.js';

const FILES_MAX = 20;
const WORDS_MAX = 20;

const sentences = folderSentences();
const folders = sourceFolders();

it('each folder has one sentence in docs/internals/folders.yaml, and each sentence has a folder', () => {
  expect([...sentences.keys()].sort()).toEqual([...folders.keys()].sort());
});

it('no folder has more files than one sentence can name', () => {
  expect([...folders].filter(([, files]) => files > FILES_MAX)).toEqual([]);
});

it('the sentences are short and different', () => {
  const texts = [...sentences.values()];
  expect(texts.filter((text) => text.split(' ').length > WORDS_MAX || !text.endsWith('.'))).toEqual([]);
  expect(new Set(texts).size).toBe(texts.length);
});
