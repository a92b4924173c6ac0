import type { ReactNode } from 'react';
import { DEFINITIONS } from '../../api/platform/definitions.js';
import { useMay } from '../../api/platform/rights.js';
import { EmptyState } from '../../parts/empty-state.js';
import { t } from '../../texts.js';
import { getBuilder } from '../builder/links.js';

/** The beginning of a service without models. */
export function EmptyService(): ReactNode {
  if (!useMay('create', DEFINITIONS))
    return <EmptyState icon="box" text={t`No models yet, or none you may list.`} />;
  return (
    <EmptyState icon="box" text={t`No models yet. A model describes your data: its fields and rules.`}>
      <a className="button primary" href={getBuilder()}>
        {t`Create a model`}
      </a>
      <a className="button" href={`${getBuilder()}?example`}>
        {t`Install an example`}
      </a>
      <code>npx xsvc plugin init note</code>
    </EmptyState>
  );
}
