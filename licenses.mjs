/** The licenses of the packages in a bundle, as they ask for. Part of `npm run build`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** @param metafiles of esbuild, with paths from the root of the project */
export function licenses(metafiles) {
  const files = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const packages = files.flatMap((file) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(packages)].sort().map(licenseOf).join('\n\n');
}

function licenseOf(place) {
  const directory = path.join(import.meta.dirname, place);
  const { name, version, license } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(path.join(directory, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n');
}
