import { ownVersion, toolRanges } from '../../version.js';
import { ownDependency } from '../package-files.js';
import { fill, readOwnFiles, sharedFiles, tsconfig, type Files } from './files.js';
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
    ...toolRanges(),
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
  return { ...(await sharedFiles()), ...config, ...Object.fromEntries(filled) };
}
