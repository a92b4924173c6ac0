import type { ReactNode } from 'react';
import { getPath } from '../../api/models.js';
import { getSnippets } from '../../lib/snippets.js';
import { CopyButton } from '../../parts/copy-button.js';
import { DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import { useListState } from './list-context.js';
import { getRequest } from './parameters.js';

/** The requests of a program for the list on the screen. */
export default function ApiPanel({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { modelRef, rowParameters } = useListState();
  const { group, version, plural } = modelRef;
  const { curl, client, watch } = getSnippets({
    server: location.origin,
    path: getPath(modelRef),
    model: [plural, version, group].filter((part) => part !== '').join('.'),
    parameters: getRequest(rowParameters),
  });
  const all = [
    ['curl', curl],
    [t`JavaScript, with xsvc/client`, client],
    [t`Follow changes`, watch],
  ] as const;
  return (
    <DialogFrame title={t`API`} onClose={onClose}>
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
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t`Close`}
        </button>
      </div>
    </DialogFrame>
  );
}
