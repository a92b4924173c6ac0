import type { ReactNode } from 'react';
import { getPath } from '../../api/models.js';
import { getSnippets } from '../../lib/snippets.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import { useRecord } from './record.js';

export default function ApiView(): ReactNode {
  const { modelRef, name } = useRecord();
  const { group, version, plural } = modelRef;
  const { curl, client, watch } = getSnippets({
    server: location.origin,
    path: getPath(modelRef),
    model: [plural, version, group].filter((part) => part !== '').join('.'),
    name,
  });
  const all = [
    ['curl', curl],
    [t`JavaScript, with xsvc/client`, client],
    [t`Follow changes`, watch],
  ] as const;
  return (
    <div className="stack">
      {all.map(([title, text]) => (
        <Section key={title} title={title} actions={<CopyButton text={text} label={t`Copy ${title}`} />}>
          <pre className="well scroll" tabIndex={0} aria-label={title}>
            {text}
          </pre>
        </Section>
      ))}
      <p className="faint">
        {t`The token is read from XSVC_TOKEN.`} <a href="/swagger-ui.html">{t`All routes`}</a>
      </p>
    </div>
  );
}
