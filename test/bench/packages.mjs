import { execFileSync } from 'node:child_process';

/** Objects of the catalogue's `Package` model: the Debian packages this machine knows, or as many invented ones. */

const API_VERSION = 'catalogue.example.com/v1alpha1';
const PRIORITIES = ['required', 'important', 'standard', 'optional', 'extra'];

/** @returns {{ source: string, packages: object[] }} */
export function readPackages(inventedCount = 60_000) {
  const text = dumpAvailable();
  if (text === undefined) return { source: 'invented', packages: inventPackages(inventedCount) };
  const byName = new Map();
  for (const record of text.split('\n\n')) {
    const manifest = toManifest(parseRecord(record));
    if (manifest !== undefined && !byName.has(manifest.metadata.name))
      byName.set(manifest.metadata.name, manifest);
  }
  return { source: 'apt-cache dumpavail', packages: [...byName.values()] };
}

function dumpAvailable() {
  try {
    const text = execFileSync('apt-cache', ['dumpavail'], {
      encoding: 'utf8',
      maxBuffer: 1 << 30,
      stdio: 'pipe',
    });
    return text.length > 1_000_000 ? text : undefined;
  } catch {
    return undefined;
  }
}

function parseRecord(record) {
  const fields = {};
  let last;
  for (const line of record.split('\n')) {
    const found = /^([A-Za-z0-9-]+):\s*(.*)$/.exec(line);
    if (found !== null) [, last, fields[last]] = [found, found[1], found[2]];
    else if (last !== undefined && line.startsWith(' ')) fields[last] += line;
  }
  return fields;
}

function toManifest(fields) {
  const packageName = fields.Package;
  if (packageName === undefined || fields.Version === undefined) return undefined;
  const spec = {
    packageName,
    version: fields.Version,
    section: fields.Section ?? 'misc',
    priority: PRIORITIES.includes(fields.Priority) ? fields.Priority : 'optional',
    installedSize: Number(fields['Installed-Size'] ?? 0),
    maintainer: fields.Maintainer ?? 'nobody',
    architecture: fields.Architecture ?? 'all',
    depends: unique((fields.Depends ?? '').split(/[,|]/).map((item) => item.trim().split(/[ :(]/, 1)[0])),
    tags: unique((fields.Tag ?? '').split(',').map((item) => item.trim().replaceAll('::', '-'))),
    description: (fields.Description ?? '').slice(0, 200),
  };
  if (fields.Homepage !== undefined && /^https?:\/\/[\x21-\x7e]+$/.test(fields.Homepage))
    spec.homepage = fields.Homepage;
  return manifest(nameOf(packageName), spec);
}

/** Debian names may hold `+` and `.`; object names may not. */
function nameOf(packageName) {
  return packageName.replaceAll('+', '-plus').replaceAll('.', '-dot-').replace(/-$/, '-x');
}

function manifest(name, spec) {
  return {
    apiVersion: API_VERSION,
    kind: 'Package',
    metadata: { name, labels: { 'debian.example.com/architecture': spec.architecture } },
    spec,
  };
}

function unique(items) {
  return [...new Set(items.filter((item) => item !== ''))];
}

/** Packages of the same shape as Debian's: the same numbers of values, the same skew. Always the same ones. */
export function inventPackages(count) {
  const random = mulberry32(42);
  const below = (n) => Math.floor(random() * n);
  return Array.from({ length: count }, (_, i) => {
    const packageName = `pkg-${i.toString(36)}-${below(1e6).toString(36)}`;
    return manifest(packageName, {
      packageName,
      version: `${below(10)}.${below(30)}.${below(9)}-${1 + below(5)}`,
      section: `section-${Math.floor(random() ** 3 * 60)}`,
      priority: PRIORITIES[random() < 0.97 ? 3 : below(5)],
      installedSize: Math.floor(Math.exp(random() * 14)),
      maintainer: `Maintainer ${Math.floor(random() ** 2 * 3000)} <m${below(3000)}@example.com>`,
      architecture: random() < 0.5 ? 'all' : 'amd64',
      depends: unique(Array.from({ length: below(11) }, () => `lib-${Math.floor(random() ** 3 * 20_000)}`)),
      tags: unique(
        Array.from(
          { length: random() < 0.5 ? below(11) : 0 },
          () => `tag-${Math.floor(random() ** 2 * 600)}`,
        ),
      ),
      description: 'an invented package '.repeat(1 + below(4)),
      homepage: `https://example.com/${packageName}`,
    });
  });
}

function mulberry32(seed) {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Middle value; of an even number, the lower middle. */
export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}
