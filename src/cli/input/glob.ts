import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** True when a path has characters of a pattern. */
export function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}

/**
 * The files that match a pattern, sorted: `*` and `?` match characters of one name, `**` matches any number of directories. A name
 * that starts with a dot is matched only by a dot in the pattern.
 * @param cwd the base of a relative pattern; results are relative when the pattern is
 */
export async function expandPattern(pattern: string, cwd: string): Promise<string[]> {
  const root = path.parse(pattern).root;
  const parts = pattern
    .slice(root.length)
    .split(/[/\\]/)
    .filter((part) => part !== '' && part !== '.');
  const found = await match(path.resolve(cwd, root === '' ? '.' : root), root, parts);
  return [...new Set(found)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Tests one name against one part of a pattern. */
export function nameMatcher(part: string): (name: string) => boolean {
  const source = part
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.');
  const expression = new RegExp(`^${source}$`, 'su');
  return (name) => expression.test(name) && (!name.startsWith('.') || part.startsWith('.'));
}

async function match(directory: string, prefix: string, parts: readonly string[]): Promise<string[]> {
  const [part, ...rest] = parts;
  if (part === undefined) return [];
  if (!isPattern(part)) return matchLiteral(directory, prefix, part, rest);
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  if (part === '**') {
    found.push(...(await match(directory, prefix, rest.length === 0 ? ['*'] : rest)));
    for (const entry of entries) {
      // Links are not followed: they may create cycles.
      if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
      found.push(...(await match(path.join(directory, entry.name), `${prefix}${entry.name}/`, parts)));
    }
    return found;
  }
  const matches = nameMatcher(part);
  for (const entry of entries.filter(({ name }) => matches(name))) {
    if (rest.length > 0) {
      found.push(...(await match(path.join(directory, entry.name), `${prefix}${entry.name}/`, rest)));
    } else if (!entry.isDirectory()) {
      found.push(`${prefix}${entry.name}`);
    }
  }
  return found;
}

async function matchLiteral(
  directory: string,
  prefix: string,
  part: string,
  rest: readonly string[],
): Promise<string[]> {
  if (rest.length > 0) return match(path.join(directory, part), `${prefix}${part}/`, rest);
  // `..` and plain names at the end match only existing files.
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.some((entry) => entry.name === part && !entry.isDirectory()) ? [`${prefix}${part}`] : [];
}
