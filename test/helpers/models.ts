import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs, type IndexSpecsBuilder } from '../../src/model/declare/index-spec.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import { Rule } from '../../src/model/rules/rule-decorator.js';
import { Schema } from '../../src/model/declare/schema-decorator.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import { registerLibrary } from './library.js';
import type { ResourceRef } from '../../src/service/verbs.js';

/** The spec of a {@link Person}: a field for each key type, once with one value, once with several. */
export interface PersonSpec {
  owner?: string;
  /** Unique. */
  nick?: string;
  /** Unique, each of them. */
  emails?: string[];
  role?: string;
  level?: number;
  code?: string;
  tags?: string[];
  age?: number;
  ages?: number[];
  /** Digits. */
  serial?: string;
  serials?: string[];
  score?: number;
  scores?: number[];
  active?: boolean;
  flags?: boolean[];
  /** RFC 3339. */
  born?: string;
  visits?: string[];
}

/** A model with a schema as data, constraints, a default, and indexes of every kind. */
@GVK({ group: 'demo.example.com', version: 'v1', kind: 'Person', plural: 'persons', singular: 'person' })
export class Person extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        properties: {
          owner: { type: 'string' },
          nick: { type: 'string', minLength: 2 },
          emails: list({ type: 'string' }),
          role: { type: 'string', enum: ['guest', 'member'], default: 'guest' },
          level: { type: 'integer', minimum: 1, maximum: 10 },
          code: { type: 'string', pattern: '^[A-Z]{3}$' },
          tags: list({ type: 'string' }),
          age: { type: 'integer' },
          ages: list({ type: 'integer' }),
          serial: { type: 'string' },
          serials: list({ type: 'string' }),
          score: { type: 'number' },
          scores: list({ type: 'number' }),
          active: { type: 'boolean' },
          flags: list({ type: 'boolean' }),
          born: { type: 'string' },
          visits: list({ type: 'string' }),
        },
      },
      status: { type: 'object', properties: { phase: { type: 'string' }, seen: { type: 'integer' } } },
    },
  };

  declare spec: PersonSpec;
  declare status?: { phase?: string; seen?: number };
}

function list(items: { readonly type: string }): object {
  return { type: 'array', items };
}

export function declarePersonIndexes(specs: IndexSpecsBuilder): void {
  specs
    .add(IndexSpecs.single<Person, string>('spec.owner', 'string').indexFunc((o) => o.spec.owner))
    .add(
      IndexSpecs.single<Person, string>('ownerInAnyCase', 'string')
        .ignoreCase()
        .indexFunc((o) => o.spec.owner),
    )
    .add(
      IndexSpecs.single<Person, string>('spec.nick', 'string')
        .unique()
        .indexFunc((o) => o.spec.nick),
    )
    .add(
      IndexSpecs.multi<Person, string>('spec.emails', 'string')
        .unique()
        .indexFunc((o) => o.spec.emails),
    )
    .add(IndexSpecs.multi<Person, string>('spec.tags', 'string').indexFunc((o) => o.spec.tags))
    .add(
      IndexSpecs.single<Person, number>('spec.age', 'integer')
        .order('DESC')
        .indexFunc((o) => o.spec.age),
    )
    .add(IndexSpecs.multi<Person, number>('spec.ages', 'integer').indexFunc((o) => o.spec.ages))
    .add(IndexSpecs.single<Person, string>('spec.serial', 'long').indexFunc((o) => o.spec.serial))
    .add(IndexSpecs.multi<Person, string>('spec.serials', 'long').indexFunc((o) => o.spec.serials))
    .add(IndexSpecs.single<Person, number>('spec.score', 'number').indexFunc((o) => o.spec.score))
    .add(IndexSpecs.multi<Person, number>('spec.scores', 'number').indexFunc((o) => o.spec.scores))
    .add(IndexSpecs.single<Person, boolean>('spec.active', 'boolean').indexFunc((o) => o.spec.active))
    .add(IndexSpecs.multi<Person, boolean>('spec.flags', 'boolean').indexFunc((o) => o.spec.flags))
    .add(IndexSpecs.single<Person, string>('spec.born', 'instant').indexFunc((o) => o.spec.born))
    .add(IndexSpecs.multi<Person, string>('spec.visits', 'instant').indexFunc((o) => o.spec.visits));
}

class PetSpec {
  @Schema({ type: 'string', minLength: 1, requiredMode: 'REQUIRED' })
  species!: string;

  @Schema({ type: 'string' })
  @Rule('self == oldSelf || !oldSelf.startsWith("locked-")', {
    message: 'is locked',
    reason: 'FieldValueForbidden',
  })
  chip?: string;
}

/** A second model, declared by decorators, with rules. */
@GVK({ group: 'demo.example.com', version: 'v1', kind: 'Pet', plural: 'pets', singular: 'pet' })
@Rule('!has(self.spec.chip) || self.spec.chip != self.spec.species', {
  message: 'must not be the species',
  fieldPath: '.spec.chip',
})
export class Pet extends AbstractExtension {
  @Schema({ type: PetSpec, requiredMode: 'REQUIRED' })
  spec!: PetSpec;
}

export function declarePetIndexes(specs: IndexSpecsBuilder): void {
  specs.add(
    IndexSpecs.single<Pet, string>('spec.chip', 'string')
      .unique()
      .indexFunc((o) => o.spec.chip),
  );
}

export const PERSON: ResourceRef = {
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Person',
  plural: 'persons',
};

export const PET: ResourceRef = { group: 'demo.example.com', version: 'v1', kind: 'Pet', plural: 'pets' };

/** Registers these models, and those of a library that refer to each other, with whatever serves them. */
export async function registerModels(door: {
  register(model: ModelClass, declareIndexes?: DeclareIndexes): Promise<void>;
}): Promise<void> {
  await door.register(Person, declarePersonIndexes);
  await door.register(Pet, declarePetIndexes);
  await registerLibrary(door);
}
