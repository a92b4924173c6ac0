import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import type { Scheme } from '../../src/model/declare/scheme.js';
import type { AnyMigrationOptions, ModelOptions } from '../../src/model/evolve/versions.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import type { Random } from '../helpers/seed.js';
import type { TestService } from '../helpers/store.js';

const NAMES = { group: 'depot.example.com', kind: 'Crate', plural: 'crates', singular: 'crate' };

export type CrateVersion = 'v1' | 'v1alpha1';

/** A crate in any version: it has a title in `v1`, and a subject in `v1alpha1`. */
export interface CrateSpec {
  title?: string;
  subject?: string;
  level: number;
  tags?: string[];
  /** Only in `v1alpha1`, while `v1` is stored: derived from the title. */
  shown?: string;
}
type Crate = AbstractExtension & { spec: CrateSpec };

/** The declarations of a release of the plugin. */
export interface Release {
  readonly stored: CrateVersion;
  /** Indexes beside that of the title. */
  readonly indexes: readonly OptionalIndex[];
  /** The function of the index `grade`. */
  readonly grade: (crate: Crate) => number;
  /** True with one more column and one more field. */
  readonly isWide: boolean;
  /** The end of `shown`: a change of code that the store does not notice. */
  readonly suffix: string;
  /** Number of migrations, each of which adds one to the level of each crate of iron. */
  readonly migrations: number;
}

const OPTIONAL_INDEXES = ['spec.level', 'spec.tags', 'grade'] as const;
type OptionalIndex = (typeof OPTIONAL_INDEXES)[number];

/** Functions with different texts: each is another declaration of its index. */
const GRADES = [
  ({ spec }: Crate) => spec.level % 2,
  ({ spec }: Crate) => spec.level % 3,
  ({ spec }: Crate) => -spec.level,
] as const;

export const FIRST_RELEASE: Release = {
  stored: 'v1',
  indexes: OPTIONAL_INDEXES,
  grade: GRADES[0],
  isWide: false,
  suffix: '!',
  migrations: 0,
};

/** Another release, which differs in one thing or a few. */
export function nextRelease(random: Random, now: Release): Release {
  const isOther = (): boolean => random.chance(0.5);
  return {
    stored: isOther() ? random.pick(['v1', 'v1alpha1']) : now.stored,
    indexes: isOther() ? OPTIONAL_INDEXES.filter(() => random.chance(0.7)) : now.indexes,
    grade: isOther() ? random.pick(GRADES) : now.grade,
    isWide: isOther() ? random.chance(0.5) : now.isWide,
    suffix: isOther() ? random.pick(['!', '?']) : now.suffix,
    migrations: now.migrations,
  };
}

export function crateRef(version: CrateVersion): ResourceRef {
  return { group: NAMES.group, kind: NAMES.kind, plural: NAMES.plural, version };
}

export function cratesPath(version: CrateVersion): string {
  return `/apis/${NAMES.group}/${version}/${NAMES.plural}`;
}

export function titleField(version: CrateVersion): 'spec.title' | 'spec.subject' {
  return version === 'v1' ? 'spec.title' : 'spec.subject';
}

export function migrationId(number: number): string {
  return number === 0 ? 'none' : `m${number}`;
}

/** Loads a release in a process, instead of the one that was loaded. */
export async function load({ service, registry }: TestService, release: Release): Promise<void> {
  unload({ service, registry });
  const options = { model: modelOptions(release) };
  const model = crateClass(release.stored, release.isWide);
  const scheme = registry.register(model, 'depot', indexesOf(release), options);
  await service.models.open(scheme, { takeover: true });
}

/** Removes the code of the model from a process. */
export function unload({ service, registry }: Pick<TestService, 'service' | 'registry'>): void {
  const scheme = loadedScheme({ registry });
  if (scheme === undefined) return;
  service.models.close(scheme.resource);
  registry.remove(scheme);
}

/** The scheme of the storage version of the loaded release. */
export function loadedScheme({ registry }: Pick<TestService, 'registry'>): Scheme | undefined {
  return registry.find(NAMES.group, 'v1', NAMES.plural)?.versions.storage;
}

function crateClass(version: CrateVersion, isWide: boolean): ModelClass<Crate> {
  class CrateClass extends AbstractExtension {
    static readonly schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          required: ['level'],
          properties: {
            [version === 'v1' ? 'title' : 'subject']: { type: 'string' },
            level: { type: 'integer' },
            tags: { type: 'array', items: { type: 'string' } },
            ...(version === 'v1alpha1' && { shown: { type: 'string' } }),
            ...(isWide && { note: { type: 'string' } }),
          },
        },
      },
    };
    static readonly columns = [
      { name: 'Level', jsonPath: '.spec.level', type: 'integer' },
      ...(isWide ? [{ name: 'Note', jsonPath: '.spec.note', type: 'string' }] : []),
    ];
    declare spec: CrateSpec;
  }
  GVK({ ...NAMES, version })(CrateClass);
  return CrateClass;
}

const toNew = ({ spec: { subject = '', level, tags } }: Crate): object => ({
  spec: { title: subject, level, tags },
});
const toOld = ({ spec: { title = '', level, tags } }: Crate, shown?: string): object => ({
  spec: { subject: title, level, tags, shown },
});

function modelOptions({ stored, isWide, suffix, migrations }: Release): ModelOptions {
  const other =
    stored === 'v1'
      ? {
          model: crateClass('v1alpha1', isWide),
          up: toNew,
          down: (crate: Crate) => toOld(crate, `${crate.spec.title ?? ''}${suffix}`),
          fields: { 'spec.subject': 'spec.title' },
        }
      : {
          model: crateClass('v1', isWide),
          up: (crate: Crate) => toOld(crate),
          down: toNew,
          fields: { 'spec.title': 'spec.subject' },
        };
  return {
    versions: [other],
    migrations: Array.from({ length: migrations }, (_, i) => levelMigration(migrationId(i + 1))),
  };
}

function levelMigration(id: string): AnyMigrationOptions {
  const add =
    (more: number) =>
    ({ metadata, spec }: Crate): object => {
      const isIron = metadata.labels?.['tier'] === 'iron';
      return { spec: { ...spec, level: spec.level + (isIron ? more : 0) } };
    };
  return { id, up: add(1), down: add(-1) };
}

function indexesOf({ stored, indexes, grade }: Release): DeclareIndexes {
  const build = {
    'spec.level': () =>
      IndexSpecs.single<Crate, number>('spec.level', 'integer').indexFunc(({ spec }) => spec.level),
    'spec.tags': () =>
      IndexSpecs.multi<Crate, string>('spec.tags', 'string').indexFunc(({ spec }) => spec.tags),
    grade: () => IndexSpecs.single<Crate, number>('grade', 'integer').indexFunc(grade),
  };
  return (specs) => {
    specs.add(
      IndexSpecs.single<Crate, string>(titleField(stored), 'string').indexFunc(
        ({ spec }) => spec.title ?? spec.subject,
      ),
    );
    for (const name of indexes) specs.add(build[name]());
  };
}
