import { AbstractExtension, GVK, Schema } from 'xsvc';

export type Priority = 'required' | 'important' | 'standard' | 'optional' | 'extra';

@Schema({ name: 'PackageSpec' })
export class PackageSpec {
  // `g++` and `libstdc++6` cannot be a `metadata.name`, so the real name is a separate field.
  @Schema({
    type: 'string',
    requiredMode: 'REQUIRED',
    pattern: '^[a-z0-9][a-z0-9+.-]+$',
    maxLength: 200,
    description: 'Name of the package',
    example: 'libstdc++6',
  })
  packageName!: string;

  @Schema({ type: 'string', requiredMode: 'REQUIRED', minLength: 1, example: '9.1-1' })
  version!: string;

  @Schema({ type: 'string', description: 'Field the package belongs to', example: 'editors' })
  section?: string;

  @Schema({
    type: 'string',
    enum: ['required', 'important', 'standard', 'optional', 'extra'],
    default: 'optional',
  })
  priority?: Priority;

  @Schema({ type: 'integer', format: 'int64', minimum: 0, description: 'KiB on disk once installed' })
  installedSize?: number;

  @Schema({ type: 'string', description: 'Who looks after the package' })
  maintainer?: string;

  @Schema({ type: 'string', format: 'uri' })
  homepage?: string;

  @Schema({ type: 'string', example: 'amd64' })
  architecture?: string;

  @Schema({ type: 'array', items: { type: 'string' }, description: 'Real names of the packages it needs' })
  depends?: string[];

  @Schema({ type: 'array', items: { type: 'string' } })
  tags?: string[];

  @Schema({ type: 'string', maxLength: 10_000 })
  description?: string;
}

export type Health = 'Installable' | 'Incomplete';

/** Results of the controller (`package-reconciler.ts`). */
@Schema({ name: 'PackageStatus' })
export class PackageStatus {
  @Schema({ type: 'integer', minimum: 0, description: 'Packages of the catalogue that need this one' })
  dependents!: number;

  @Schema({
    type: 'array',
    items: { type: 'string' },
    description: 'Needed packages that the catalogue lacks',
  })
  unresolved!: string[];

  @Schema({ type: 'string', enum: ['Installable', 'Incomplete'], description: 'Whether nothing is missing' })
  health!: Health;
}

/** A package of software. Served under `/apis/catalogue.example.com/v1alpha1/packages`. */
@GVK({
  group: 'catalogue.example.com',
  version: 'v1alpha1',
  kind: 'Package',
  plural: 'packages',
  singular: 'package',
  shortNames: ['pkg'],
})
export class Package extends AbstractExtension {
  static columns = [
    { name: 'Package', jsonPath: '.spec.packageName', type: 'string' },
    { name: 'Version', jsonPath: '.spec.version', type: 'string' },
    { name: 'Section', jsonPath: '.spec.section', type: 'string' },
    { name: 'Size-KiB', jsonPath: '.spec.installedSize', type: 'integer' },
    { name: 'Health', jsonPath: '.status.health', type: 'string' },
    { name: 'Dependents', jsonPath: '.status.dependents', type: 'integer', priority: 1 },
    { name: 'Priority', jsonPath: '.spec.priority', type: 'string', priority: 1 },
    { name: 'Maintainer', jsonPath: '.spec.maintainer', type: 'string', priority: 1 },
  ];

  @Schema({ type: PackageSpec, requiredMode: 'REQUIRED' })
  spec!: PackageSpec;

  @Schema({ type: PackageStatus })
  status?: PackageStatus;
}
