import { isRecord } from '../../lib/json/json.js';
import { toolRanges } from '../../version.js';
import { ownDependency } from '../package-files.js';
import { readOwnFiles, sharedFiles, tsconfig, type Files } from './files.js';

/** The plugin in the documents. */
const EXAMPLE = 'plugins/person';

const SCRIPTS = { start: 'xsvc serve', test: 'vitest run', types: 'tsc --noEmit' };

/**
 * The packages below xsvc that have install scripts. None is needed, because they come compiled. npm warns of each one that is not
 * named.
 */
const ALLOW_SCRIPTS = { esbuild: false, lmdb: false, 'msgpackr-extract': false };

/** The files of a new project, except its `package.json`. */
export async function projectFiles(withExample: boolean): Promise<Files> {
  const example = Object.entries(withExample ? await readOwnFiles(EXAMPLE) : {});
  return {
    ...(await sharedFiles()),
    ...(await tsconfig('plugins/**/*.ts')),
    ...Object.fromEntries(example.map(([file, text]) => [`${EXAMPLE}/${file}`, text])),
  };
}

/**
 * The `package.json` of a project: existing members are kept, missing ones are added.
 * @param present the text of the existing one
 * @param directory its place
 * @returns undefined when nothing is missing
 * @throws SyntaxError when the existing one is not a JSON object
 */
export function projectManifest(present: string | undefined, directory: string): string | undefined {
  const old: unknown = present === undefined ? {} : JSON.parse(present);
  if (!isRecord(old)) throw new SyntaxError('it is not an object');
  const { scripts = {}, dependencies = {}, devDependencies = {}, allowScripts = {} } = old;
  if (!isRecord(scripts) || !isRecord(dependencies) || !isRecord(devDependencies) || !isRecord(allowScripts))
    throw new SyntaxError('scripts, dependencies and allowScripts must be objects');
  const isThere = (name: string): boolean => name in dependencies || name in devDependencies;
  const tools = Object.fromEntries(Object.entries(toolRanges()).filter(([name]) => !isThere(name)));
  const merged = {
    private: true,
    type: 'module',
    ...old,
    scripts: { ...SCRIPTS, ...scripts },
    dependencies: { ...dependencies, ...(!isThere('xsvc') && { xsvc: ownDependency(directory) }) },
    devDependencies: { ...devDependencies, ...tools },
    allowScripts: { ...ALLOW_SCRIPTS, ...allowScripts },
  };
  const text = `${JSON.stringify(merged, undefined, 2)}\n`;
  return text === present ? undefined : text;
}
