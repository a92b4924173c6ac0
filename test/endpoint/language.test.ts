import { describe, expect, it } from 'vitest';
import { preferredLanguage } from '../../src/endpoint/language.js';

describe('the language of messages', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de', 'de'],
    ['DE', 'de'],
    ['de-AT', 'de'],
    ['de-AT,en;q=0.5', 'de'],
    ['en;q=0.5, fr;q=0.9', 'fr'],
    ['it, es;q=0.3', 'es'],
    ['it', 'en'],
    ['zh', 'zh'],
    ['zh-CN', 'zh'],
    ['zh-Hans-HK', 'zh'],
    ['zh-TW', 'zh-TW'],
    ['zh-HK', 'zh-TW'],
    ['zh-Hant', 'zh-TW'],
    ['zh-Hant-TW', 'zh-TW'],
    ['ru;q=0, ja;q=0.1', 'ja'],
    ['en;q=0, *', 'zh'],
    ['fr;q=high, de;q=0.1', 'de'],
    ['ja;q=1.000', 'ja'],
  ])('of %j is %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });

  it('reads only the beginning of a very long header', () => {
    const header = `${'xx,'.repeat(100_000)}de`;
    expect(preferredLanguage(header)).toBe('en');
  });
});
