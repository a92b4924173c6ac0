import type { ReactNode } from 'react';
import { getPath, type ModelRef } from '../../api/models.js';
import { getSnippets } from '../../lib/snippets.js';
import { t } from '../../texts.js';
import { CopyButton } from '../copy-button.js';
import { Section } from '../section.js';

interface SnippetsProps {
  readonly modelRef: ModelRef;
  /** Of an object; absent: of a list. */
  readonly name?: string;
  /** Of a list. */
  readonly parameters?: URLSearchParams;
}

/** The requests of a program for the object or the list on the screen. */
export default function Snippets({ modelRef, ...subject }: SnippetsProps): ReactNode {
  const { group, version, plural } = modelRef;
  const { curl, client, watch } = getSnippets({
    server: location.origin,
    path: getPath(modelRef),
    model: [plural, version, group].filter((part) => part !== '').join('.'),
    ...subject,
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
