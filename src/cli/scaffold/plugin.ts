import { ownVersion, typescriptRange } from '../../version.js';
import { ownDependency } from '../package-files.js';
import { fill, GITIGNORE, readOwnFiles, tsconfig, type Files } from './files.js';
import type { ScaffoldNames } from './names.js';

/** The files of a new plugin, from the templates of the program's package. */
export async function pluginFiles(
  { kind, ...names }: ScaffoldNames,
  language: 'typescript' | 'javascript',
  directory: string,
): Promise<Files> {
  const values = {
    ...names,
    Kind: kind,
    version: ownVersion(),
    typescript: typescriptRange(),
    xsvc: ownDependency(directory),
  };
  const templates = {
    ...(await readOwnFiles('templates/plugin/common')),
    ...(await readOwnFiles(`templates/plugin/${language}`)),
  };
  const filled = Object.entries(templates).map(
    ([file, text]) => [fill(file, values), fill(text, values)] as const,
  );
  const config = language === 'typescript' ? await tsconfig('*.ts') : {};
  return { ...GITIGNORE, ...config, ...Object.fromEntries(filled) };
}
