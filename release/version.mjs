/** Where the version of package.json is written a second time. `npm run release` and test/architecture compare them. */

const PLACES = [
  { file: 'package-lock.json', pattern: /^ {2}"version": "([^"]+)"/m },
  { file: 'CHANGELOG.md', pattern: /^## \[(?!Unreleased)([^\]]+)\]/m },
  { file: 'Dockerfile', pattern: /org\.opencontainers\.image\.version="([^"]+)"/ },
  { file: 'Dockerfile', pattern: /docker build -t xsvc:(\S+)/ },
  { file: 'README.md', pattern: /\bxsvc-(\d[\w.-]*)\.tgz/ },
  { file: 'docs/guides/deployment.md', pattern: /docker build -t xsvc:(\S+)/ },
  { file: 'docs/guides/deployment.md', pattern: /\/plugins:ro xsvc:(\S+)/ },
  { file: 'docs/guides/deployment.md', pattern: /\bxsvc-(\d[\w.-]*)\.tgz/ },
];

/**
 * The places that have another version, as texts.
 * @param read returns the text of a file of the project
 */
export function disagreements(version, read) {
  return PLACES.flatMap(({ file, pattern }) => {
    const found = pattern.exec(read(file))?.[1];
    return found === version ? [] : [`${file} has ${found ?? 'none'} (${pattern.source})`];
  });
}

/**
 * The section of a version in the changelog, without its heading.
 * @throws Error when there is none, it has no date, or it is empty
 */
export function sectionOf(changelog, version) {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((one) => one.startsWith(`[${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section [${version}]`);
  const [heading = '', ...lines] = section.split('\n');
  if (!/ - \d{4}-\d\d-\d\d$/.test(heading))
    throw new Error(`the section [${version}] of CHANGELOG.md has no date: "## ${heading}"`);
  const text = lines.join('\n').trim();
  if (text === '') throw new Error(`the section [${version}] of CHANGELOG.md is empty`);
  return `${text}\n`;
}
