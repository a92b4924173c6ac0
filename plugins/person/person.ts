import { AbstractExtension, GVK, Schema } from 'xsvc';

export type Gender = 'MALE' | 'FEMALE';

/** A class without `@GVK` is not a model; used as a field's type it becomes part of the model's schema. */
@Schema({ name: 'Address', description: 'Where somebody lives' })
export class Address {
  @Schema({ type: 'string' })
  street?: string;

  @Schema({ type: 'string', requiredMode: 'REQUIRED' })
  city!: string;

  @Schema({ type: 'string', pattern: '^[0-9]{4,5}$', example: '12345' })
  zip?: string;
}

@Schema({ name: 'PersonSpec' })
export class PersonSpec {
  @Schema({ type: 'string', requiredMode: 'REQUIRED', minLength: 1, maxLength: 64, description: 'Full name' })
  name!: string;

  @Schema({ type: 'integer', minimum: 0, maximum: 150, description: 'Age in years' })
  age?: number;

  @Schema({ type: 'string', enum: ['MALE', 'FEMALE'] })
  gender?: Gender;

  @Schema({ type: 'string', format: 'email', description: 'No two persons share one' })
  email?: string;

  @Schema({ type: 'string', format: 'date', example: '1990-05-17' })
  birthDate?: string;

  @Schema({ type: 'array', items: { type: 'string' }, description: 'What the person is interested in' })
  tags?: string[];

  @Schema({ type: Address })
  address?: Address;

  // A model as a field's type. The arrow postpones the look: Person is declared further down.
  @Schema({ type: () => Person, description: 'A person given as a whole, not by name' })
  otherPerson?: Person;
}

/** Observed state, not desired state. People write `spec`, programs write `status` (under `.../status`). */
@Schema({ name: 'PersonStatus' })
export class PersonStatus {
  @Schema({ type: 'string', example: 'Ready' })
  phase?: string;
}

/** Objects of this model are served under `/apis/demo.example.com/v1alpha1/persons`. */
@GVK({
  group: 'demo.example.com',
  version: 'v1alpha1',
  kind: 'Person',
  plural: 'persons',
  singular: 'person',
  shortNames: ['pe'],
})
export class Person extends AbstractExtension {
  /** The columns of `xsvc get persons`; those with a priority only appear with `-o wide`. */
  static columns = [
    { name: 'Full name', jsonPath: '.spec.name', type: 'string' },
    { name: 'Years', jsonPath: '.spec.age', type: 'integer' },
    { name: 'Email', jsonPath: '.spec.email', type: 'string', priority: 1 },
  ];

  @Schema({ type: PersonSpec, requiredMode: 'REQUIRED' })
  spec!: PersonSpec;

  @Schema({ type: PersonStatus })
  status?: PersonStatus;
}
