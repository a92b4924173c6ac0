import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const textOf = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

it('README and the guide to deployment name the Node.js versions of package.json, and the bundle is made for the oldest', () => {
  const oldest = /"node": ">=([\d.]+)"/.exec(textOf('package.json'))?.[1] ?? '';
  expect(oldest).toBe('20.19');
  expect(textOf('README.md')).toContain(`Node.js ${oldest} or newer (supported: 20, 22, 24 and 26)`);
  const guide = textOf('docs/guides/deployment.md');
  for (const part of [`before ${oldest}`, '24, 26']) expect(guide).toContain(part);
  expect(textOf('bundle.mjs')).toContain(`target: 'node${oldest}'`);
});
