import type { ReactNode } from 'react';
import { useModel, type ModelRef } from '../../api/models.js';
import { getTitleOf } from '../../lib/naming.js';
import { getList } from '../../routes/route.js';

interface ModelNameProps {
  readonly modelRef: ModelRef;
}

export function ModelName({ modelRef }: ModelNameProps): ReactNode {
  return getTitleOf(modelRef, useModel(modelRef));
}

interface ModelLinkProps extends ModelNameProps {
  /** The parameters of the list. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** The name of a model, which leads to its list. */
export function ModelLink({ modelRef, parameters }: ModelLinkProps): ReactNode {
  return (
    <a href={getList(modelRef, parameters)}>
      <ModelName modelRef={modelRef} />
    </a>
  );
}
