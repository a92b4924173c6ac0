import { AbstractExtension, GVK, Rule, Schema } from 'xsvc';

/** The desired state, written by users. */
@Schema({ name: '__Kind__Spec' })
@Rule('!has(self.text) || self.text != self.title', { message: 'must say more than the title', fieldPath: '.text' })
export class __Kind__Spec {
  @Schema({ type: 'string', requiredMode: 'REQUIRED', minLength: 1, maxLength: 100, example: 'Shopping' })
  title!: string;

  @Schema({ type: 'string' })
  text?: string;

  @Schema({ type: 'array', items: { type: 'string' } })
  tags?: string[];
}

/** The observed state, written by the controller. */
@Schema({ name: '__Kind__Status' })
export class __Kind__Status {
  @Schema({ type: 'string', example: 'Ready' })
  phase?: string;

  @Schema({ type: 'integer', minimum: 0, description: 'Words of the text' })
  words?: number;
}

/** Served under `/apis/__group__/v1alpha1/__plural__`. */
@GVK({ group: '__group__', version: 'v1alpha1', kind: '__Kind__', plural: '__plural__', singular: '__singular__' })
export class __Kind__ extends AbstractExtension {
  /** The columns of `xsvc get __plural__`. */
  static columns = [
    { name: 'Title', jsonPath: '.spec.title', type: 'string' },
    { name: 'Words', jsonPath: '.status.words', type: 'integer' },
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
  ];

  @Schema({ type: __Kind__Spec, requiredMode: 'REQUIRED' })
  spec!: __Kind__Spec;

  @Schema({ type: __Kind__Status })
  status?: __Kind__Status;
}
