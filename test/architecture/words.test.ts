import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url).pathname;

/** Words that need a second look, and plain ones for them. */
const WORSE: readonly (readonly [worse: RegExp, better: string])[] = [
  [
    /(?:^|[.:] )(?:What|Who|Whoever|Whatever|So many|That many) (?!if\b)[^?]*$/m,
    'begin with a noun or a verb',
  ],
  [/^Whether\b/m, 'True when ..'],
  [/\b(?:is|are|was|were|be|been) told\b/, 'is reported, is announced, knows'],
  [/\btells? (?:of|who|what|whether)\b/, 'reports, says'],
  [/\banew\b/, 'again'],
  [/\bof (?:its|their) own\b(?! (?:model|schema|roles)\b)/, 'its own, separate'],
  [/\bbut for\b/, 'except'],
  [/\bgo(?:es)? along\b/, 'is deleted with, cascades'],
  [/\b(?:held|hold|holds) up\b/, 'blocks, delays'],
  [/\bsees? to it\b/, 'ensures'],
  [/\bwhoever\b/, 'the one who, the caller'],
  [/\bat hand\b/, 'given, in memory'],
  [/\blets? go\b/, 'releases, removes'],
  [/\bto be had\b/, 'available'],
  [/\b(?:what|those) there (?:is|are)\b/, 'existing ..'],
  [/\bin (?:its|their) turn\b/, 'then'],
  [/\bgets? on with\b/, 'works with'],
  [/\b(?:mis|un)fit\b/, 'invalid'],
  [/\bmanieth\b/, 'n-th'],
  [/\btaken for\b/, 'treated as'],
  [/\bbe taken away\b/, 'be removed'],
];

function trackedFiles(...below: readonly string[]): string[] {
  return execFileSync('git', ['ls-files', ...below], { cwd: ROOT, encoding: 'utf8' }).split('\n');
}

/** The comments of a source file. Lines of `//` are one each. */
function commentsIn(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of ranges)
      found.set(pos, text.slice(pos, end).replace(/^\/\*\*?|^\/\/|\*\/$|\n\s*\*(?!\/)/g, ' '));
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  return [...found.values()];
}

function paragraphsIn(page: string): string[] {
  return page.replace(/```.*?```/gs, '').split(/\n\s*\n|\n- |\n\| /);
}

function textsIn(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return file.endsWith('.md') ? paragraphsIn(text) : commentsIn(file, text);
}

/** The first words of a text that have plainer ones. Code is not read. */
function worseIn(text: string): string | undefined {
  const prose = text
    .replace(/`[^`]*`/g, 'x')
    .replace(/\s+/g, ' ')
    .trim();
  for (const [worse, better] of WORSE) {
    const [found] = worse.exec(prose) ?? [];
    if (found !== undefined) return `"${found.slice(0, 60).trim()}": ${better}`;
  }
  return undefined;
}

it('comments of the source and documents use plain words', () => {
  const files = trackedFiles('src', 'docs', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md').filter((file) =>
    /\.(tsx?|md)$/.test(file),
  );
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    textsIn(file).flatMap((text) => {
      const worse = worseIn(text);
      return worse === undefined ? [] : [`${file}: ${worse}`];
    }),
  );
  expect(found).toEqual([]);
});

it('worse words are found, in comments alone', () => {
  const source =
    "/** What is kept. */\nconst a = 'made anew'; // Whether it is.\n/* b */ const c = /\\/\\* anew/;";
  expect(commentsIn('a.ts', source).map(worseIn)).toEqual([
    '"What is kept.": begin with a noun or a verb',
    '"Whether": True when ..',
    undefined,
  ]);
  expect(worseIn('What does it do?')).toBeUndefined();
  expect(worseIn('The index is built anew')).toBe('"anew": again');
});
