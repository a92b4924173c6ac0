import type { ReactNode } from 'react';
import { useRights } from '../../../api/platform/rights.js';
import { Section } from '../../../parts/section.js';
import { t } from '../../../texts.js';
import { RightsTable } from './rights-table.js';

/** The rights of the user of this page, who may not read roles. */
export function MyRights(): ReactNode {
  const rules = useRights().data ?? [];
  return (
    <Section title={t`What may you do?`}>
      <RightsTable rules={rules.map((rule) => ({ role: '', rule }))} />
    </Section>
  );
}
