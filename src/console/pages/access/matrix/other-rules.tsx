import type { ReactNode } from 'react';
import { stringify } from 'yaml';
import { ROLES } from '../../../api/platform/access.js';
import { Section } from '../../../parts/section.js';
import { getObject } from '../../../routes/route.js';
import { t } from '../../../texts.js';
import { getProduct } from './cells.js';

interface OtherRulesProps {
  readonly role: string;
  readonly rules: readonly unknown[];
}

/** The rules that the matrix cannot show. */
export function OtherRules({ role, rules }: OtherRulesProps): ReactNode {
  const others = rules.filter((rule) => getProduct(rule) === undefined);
  if (others.length === 0) return null;
  return (
    <Section title={t`Other rules`} actions={<a href={getObject(ROLES, role, 'yaml')}>{t`Edit as YAML`}</a>}>
      <p className="faint">{t`The table cannot show these rules. Saving keeps them as they are.`}</p>
      <pre className="well">{stringify(others)}</pre>
    </Section>
  );
}
