import type { ReactNode } from 'react';
import { getPath } from '../../../api/models.js';
import { getSnippets } from '../../../lib/snippets.js';
import { copyText } from '../../../parts/copy-button.js';
import { DialogFrame } from '../../../parts/dialogs/dialog-frame.js';
import { Icon } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { useListState } from '../list-context.js';
import { getRequest } from '../parameters.js';

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
  return (
    <DialogFrame title={t`API`} onClose={onClose}>
      <Snippet title="curl" text={curl} />
      <Snippet title={t`JavaScript, with xsvc/client`} text={client} />
      <Snippet title={t`Follow changes`} text={watch} />
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

function Snippet({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  return (
    <section aria-label={title}>
      <div className="line spread">
        <h3>{title}</h3>
        <button
          type="button"
          className="quiet"
          aria-label={t`Copy ${title}`}
          onClick={() => void copyText(text)}
        >
          <Icon name="copy" /> {t`Copy`}
        </button>
      </div>
      <pre className="well tall" tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </section>
  );
}
