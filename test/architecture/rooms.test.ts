import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { rooms } from '../helpers/folders.js';

/** A room imports only from rooms above it in this list, or from itself. */
const ROOMS = rooms();

/** It runs in browsers and talks to the service over HTTP only: anybody could have written it. */
const PAGE = 'console';
/** What it has in common with other programs. */
const OF_PROGRAMS = 'client/programs/';

/** Outside things that only one place may import. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  lmdb: ['engines/lmdb/*'],
  pg: ['engines/postgres/*'],
  ajv: ['model/validate/ajv.ts'],
  'ajv/dist/2020.js': ['model/validate/ajv.ts'],
  'ajv-formats': ['model/validate/ajv.ts'],
  re2js: ['lib/linear-reg-exp.ts', 'cel/regex.ts'],
  'js-yaml': ['lib/json/yaml.ts'],
  esbuild: ['plugin/bundle.ts'],
  semver: ['plugin/manifest/manifest.ts'],
  jose: ['oidc/*'],
  'openid-client': ['oidc/*', 'cli/login/*'],
  commander: ['cli/*'],
  chalk: ['cli/*'],
  pino: ['cli/*'],
  '@modelcontextprotocol/sdk/server/mcp.js': ['mcp/sdk/*'],
  '@modelcontextprotocol/sdk/server/stdio.js': ['mcp/sdk/*'],
  '@modelcontextprotocol/sdk/server/streamableHttp.js': ['mcp/sdk/*'],
  '@modelcontextprotocol/sdk/client/index.js': ['mcp/sdk/*'],
  '@modelcontextprotocol/sdk/client/streamableHttp.js': ['mcp/sdk/*'],
  '@modelcontextprotocol/sdk/types.js': ['mcp/sdk/*'],
  express: ['endpoint/*', 'http/*', 'index.ts', 'daemon/core.ts'],
  chokidar: ['plugin/watcher.ts'],
  'ajv-i18n': ['endpoint/*'],
  'prom-client': ['http/*'],
  'lru-cache': ['lib/cache-budget.ts'],
  'swagger-ui-express': ['http/*'],
  negotiator: ['endpoint/language.ts', 'http/answer/accept.ts'],
  diff: ['cli/*', 'console/*'],
  yaml: ['console/*'],
  react: ['console/*'],
  'react-dom/client': ['console/main.ts'],
  'react-aria-components': ['console/*'],
  '@tanstack/react-query': ['console/*'],
  '@codemirror/commands': ['console/editor/*'],
  '@codemirror/lang-yaml': ['console/editor/*'],
  '@codemirror/language': ['console/editor/*'],
  '@codemirror/lint': ['console/editor/*'],
  '@codemirror/state': ['console/editor/*'],
  '@codemirror/view': ['console/editor/*'],
  '@lezer/highlight': ['console/editor/*'],
  marked: ['console/form/markdown/markdown-view.ts'],
  'lucide-react': ['console/parts/icon.ts'],
  uplot: ['console/pages/metrics/plot-view.ts'],
  'csv-parse': ['cli/input/csv.ts'],
};

/** Only the room of the service may contain this. */
const REACH = /service\.context|\bServiceContext\b|\{[^}]*\bcontext\b[^}]*\} = (this\.)?service\b/;

interface Import {
  /** Below `src`. */
  readonly file: string;
  readonly specifier: string;
}

function importsOf(file: string, text: string): Import[] {
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s*['"]([^'"]+)['"]/g,
  );
  return [...found].map((match) => ({ file, specifier: match[1] ?? match[2] ?? match[3] ?? '' }));
}

function roomOf(file: string): string {
  const [first = ''] = file.split('/');
  return first;
}

/** All that importing a file brings along at once, without what it imports while it runs. */
function loadedWith(file: string): Set<string> {
  const root = new URL('../../src/', import.meta.url).pathname;
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    if (!name.endsWith('.ts')) return;
    const text = readFileSync(path.join(root, name), 'utf8');
    for (const [, specifier = ''] of text.matchAll(
      /^(?:import|export)(?! type)\b(?:[^;'"]*?from)?\s*['"]([^'"]+)['"];/gm,
    )) {
      const isOurs = specifier.startsWith('.');
      load(isOurs ? path.posix.join(path.posix.dirname(name), specifier).replace(/\.js$/, '.ts') : specifier);
    }
  };
  load(file);
  return loaded;
}

/** Why an import is not allowed; undefined when it is. */
function fault({ file, specifier }: Import): string | undefined {
  if (!specifier.startsWith('.')) {
    const doors = DOORS[specifier];
    const open =
      doors === undefined ||
      doors.some((door) => door === file || (door.endsWith('*') && file.startsWith(door.slice(0, -1))));
    return open ? undefined : `${file} imports ${specifier}, which only ${String(doors)} may`;
  }
  const target = path.posix
    .normalize(path.posix.join(path.posix.dirname(file), specifier))
    .replace(/\.js$/, '.ts');
  const [from, to] = [ROOMS.indexOf(roomOf(file)), ROOMS.indexOf(roomOf(target))];
  const isShared = roomOf(file) === PAGE && target.startsWith(OF_PROGRAMS);
  if ((roomOf(file) === PAGE) !== (roomOf(target) === PAGE) && !isShared)
    return `${file} imports ${target}: the console knows the service by HTTP only`;
  if (from < 0 || to < 0) return `${file} -> ${target}: not a room of the map`;
  return to <= from ? undefined : `${file} imports ${target}, a room below it`;
}

/** Files that import each other, in a circle: for each circle its files. */
function circlesOf(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { file, specifier } of imports) {
    if (!specifier.startsWith('.')) continue;
    const target = path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts');
    targets.set(file, [...(targets.get(file) ?? []), target]);
  }
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file);
    if (at >= 0) circles.push(way.slice(at));
    if (at >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return circles;
}

function sourceImports(): Import[] {
  const root = new URL('../../src/', import.meta.url).pathname;
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  // A name tells which of both a file is to nobody who imports it.
  return files.flatMap((file) =>
    importsOf(
      file
        .split(path.sep)
        .join('/')
        .replace(/\.tsx$/, '.ts'),
      readFileSync(path.join(root, file), 'utf8'),
    ),
  );
}

describe('the rooms', () => {
  it('import only from rooms above them, and outside things through one door', () => {
    const imports = sourceImports();
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.map(fault).filter((text) => text !== undefined)).toEqual([]);
  });

  it('load nothing heavy for the overview, a read, and a command on a server', () => {
    const heavy = ['ajv/dist/2020.js', 're2js', 'express', 'esbuild', 'semver', 'lmdb'];
    expect([...loadedWith('daemon/app.ts')]).toEqual(
      expect.arrayContaining(['ajv/dist/2020.js', 'express', 'lmdb']),
    );
    const ofStore = ['config.ts', 'admin/reader.ts', 'admin/backup.ts'];
    for (const file of ['cli/main.ts', 'cli/commands/read/get.ts', 'client/http-verbs.ts', ...ofStore]) {
      const allowed = ofStore.includes(file) ? ['lmdb'] : [];
      const found = [...loadedWith(file)].filter((name) => heavy.includes(name) && !allowed.includes(name));
      expect(found, file).toEqual([]);
    }
  });

  it('know no keys of index entries in lists', () => {
    const files = sourceImports().filter(({ specifier }) => specifier.endsWith('store/index/keys.js'));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter(({ file }) => file.startsWith('list/'))).toEqual([]);
  });

  it('do not use the context of the service', () => {
    const root = new URL('../../src/', import.meta.url).pathname;
    const files = new Set(sourceImports().map(({ file }) => file));
    const reaching = [...files].filter(
      (file) => !/^(service|console)\//.test(file) && REACH.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(reaching).toEqual([]);
    expect('service.store.read()').not.toMatch(REACH);
    expect('const { context } = service;').toMatch(REACH);
    expect("import type { ServiceContext } from '../service/context.js';").toMatch(REACH);
  });

  it('import nothing in a circle, types neither', () => {
    expect(circlesOf(sourceImports())).toEqual([]);
    const circle = [
      { file: 'a/a.ts', specifier: '../b/b.js' },
      { file: 'b/b.ts', specifier: './c.js' },
      { file: 'b/c.ts', specifier: '../a/a.js' },
      { file: 'b/c.ts', specifier: 'node:fs' },
    ];
    expect(circlesOf(circle)).toEqual([['a/a.ts', 'b/b.ts', 'b/c.ts']]);
  });

  it('have a check that reports forbidden imports', () => {
    expect(fault({ file: 'store/store.ts', specifier: '../http/routes/dispatch.js' })).toMatch(
      'a room below it',
    );
    expect(fault({ file: 'service/get.ts', specifier: 'lmdb' })).toMatch('only engines/lmdb/');
    expect(fault({ file: 'store/store.ts', specifier: '../attic/old.js' })).toMatch('not a room');
    expect(fault({ file: 'console/api/http.ts', specifier: '../../lib/json/json.js' })).toMatch(
      'by HTTP only',
    );
    expect(
      fault({ file: 'console/api/http.ts', specifier: '../../client/programs/lines.js' }),
    ).toBeUndefined();
    expect(fault({ file: 'cli/main.ts', specifier: '../console/texts.js' })).toMatch('by HTTP only');
    expect(fault({ file: 'http/routes/dispatch.ts', specifier: '../../service/service.js' })).toBeUndefined();
    expect(
      importsOf(
        'a.ts',
        "import type { A } from './b.js';\nconst c = await import('./d.js');\nimport './e.js';",
      ),
    ).toHaveLength(3);
  });
});
