import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error the scripts of a release have no types
import * as release from '../../release/version.mjs';

interface Release {
  readonly disagreements: (version: string, read: (file: string) => string) => string[];
  readonly sectionOf: (changelog: string, version: string) => string;
}
const { disagreements, sectionOf } = release as Release;

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };

it('every place that names the version of the program has that of package.json', () => {
  expect(disagreements(version, read)).toEqual([]);
  expect(disagreements('9.9.9', read)).toContain(
    `Dockerfile has ${version} (org\\.opencontainers\\.image\\.version="([^"]+)")`,
  );
});

it('the version has a section in the changelog, with a date', () => {
  expect(sectionOf(read('CHANGELOG.md'), version)).toMatch(/^### /);
});

it('a release needs a section with a date and a text', () => {
  const changelog =
    '# Changelog\n\n## [2.0.0] - Unreleased\n\n- a\n\n## [1.1.0] - 2026-01-02\n\n## [1.0.0] - 2026-01-01\n\n- b\n';
  expect(sectionOf(changelog, '1.0.0')).toBe('- b\n');
  expect(() => sectionOf(changelog, '1.1.0')).toThrow('the section [1.1.0] of CHANGELOG.md is empty');
  expect(() => sectionOf(changelog, '2.0.0')).toThrow('has no date: "## [2.0.0] - Unreleased"');
  expect(() => sectionOf(changelog, '3.0.0')).toThrow('CHANGELOG.md has no section [3.0.0]');
});
