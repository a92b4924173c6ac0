import type { ReactNode } from 'react';
import { usePlugins } from '../../api/platform/plugins.js';
import { Badge } from '../../parts/badge.js';
import { Message } from '../../parts/long-text.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';

export function Plugins(): ReactNode {
  const { data, error } = usePlugins();
  return (
    <Section title={t`Plugins`}>
      {data === undefined && <Pending error={error} />}
      {data?.items.length === 0 && <p className="faint">{t`No plugins are installed.`}</p>}
      <ul className="lines">
        {data?.items.map(({ name, phase, message }) => (
          <li key={name}>
            <span>{name}</span> <Badge word={phase} />
            {message !== undefined && (
              <div className="faint">
                <Message>{message}</Message>
              </div>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
