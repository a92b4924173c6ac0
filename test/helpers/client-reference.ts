import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { headingsOf } from './documents.js';
import { ROOT } from './reference.js';

/** The pages of what plugins and their tests import, made by TypeDoc of the comments in the source. */

const TABLES = ['parameters', 'interfaceProperties', 'classProperties', 'typeDeclaration', 'propertyMembers'];
const FLAGS = [
  ['--plugin', 'typedoc-plugin-markdown'],
  ['--tsconfig', 'tsconfig.build.json'],
  ['--entryPoints', 'src/index.ts'],
  ['--entryPoints', 'src/client/programs/index.ts'],
  ['--entryPoints', 'src/testing/index.ts'],
  ['--outputFileStrategy', 'modules'],
  ['--readme', 'none'],
  ['--hideBreadcrumbs'],
  ['--hidePageHeader'],
  ['--hidePageTitle'],
  ['--disableSources'],
  ['--excludePrivate'],
  ['--excludeProtected'],
  ['--excludeInternal'],
  ['--excludeExternals'],
  ['--validation.notExported', 'false'],
  ['--logLevel', 'Warn'],
  ...TABLES.map((name) => [`--${name}Format`, 'table']),
].flat();

const PAGES = [
  {
    file: 'docs/reference/client.md',
    from: 'index.md',
    intro:
      '# Plugin API\n\nAll exports of `xsvc`. A plugin reads and writes objects with ' +
      '[`ExtensionClient`](#extensionclient), its `ctx.client`.',
  },
  {
    file: 'docs/reference/client-for-programs.md',
    from: 'client/programs.md',
    intro:
      '# Client API\n\nAll exports of `xsvc/client`; ' +
      'see [Using the service from a program](../guides/client.md).',
  },
  {
    file: 'docs/reference/testing.md',
    from: 'testing.md',
    intro:
      '# Test API\n\nAll exports of `xsvc/testing`; ' +
      'see [Testing a plugin](../guides/testing-a-plugin.md).',
  },
] as const;

/** @param directory where TypeDoc may write */
export function clientPages(directory: string): { file: string; text: string }[] {
  const typedoc = path.join(ROOT, 'node_modules/typedoc/bin/typedoc');
  execFileSync(process.execPath, [typedoc, ...FLAGS, '--out', directory], { cwd: ROOT, stdio: 'pipe' });
  return PAGES.map(({ file, from, intro }) => {
    const page = `${intro}\n\n${plainer(readFileSync(path.join(directory, from), 'utf8'))}`;
    return { file, text: withSoundLinks(page) };
  });
}

/** Links to headings of the page; those to members, which stand in tables, become plain. */
function withSoundLinks(page: string): string {
  const headings = new Set(headingsOf(page));
  return page.replace(/\[([^\]]*)\]\(#([^)]*)\)/g, (link, text: string, heading: string) =>
    headings.has(heading) ? link : text,
  );
}

/** Without what says nothing new: what is answered stands in the signature already, and anchors have no reader. */
function plainer(page: string): string {
  return page
    .replace(/^#{3,} Returns\n\n[^\n]+\n\n(?=#|\*\*\*|$)/gm, '')
    .replace(/^#{3,} (Implementation of|Overrides|Inherited from)\n\n[^\n]+\n+/gm, '')
    .replace(/<a id="[^"]*"><\/a> /g, '')
    .replace(/^\*\*\*\n+/gm, '')
    .replace(/\((?:\.\.\/)*index\.md#[^)]*\)/g, '(client.md)')
    .replace(/\n*$/, '\n');
}
