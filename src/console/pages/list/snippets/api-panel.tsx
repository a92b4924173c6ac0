import type { ReactNode } from 'react';
import { getPath, type ModelRef } from '../../../api/models.js';
import { getSnippets } from '../../../lib/snippets.js';
import { DialogFrame } from '../../../parts/dialogs/dialog-frame.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { Icon } from '../../../parts/icon.js';
import { t } from '../../../texts.js';

interface ApiPanelProps {
  readonly modelRef: ModelRef;
  /** Those of the request. */
  readonly parameters: URLSearchParams;
  readonly onClose: () => void;
}

/** The requests of a program for the list on the screen. */
export default function ApiPanel({ modelRef, parameters, onClose }: ApiPanelProps): ReactNode {
  const { group, version, plural } = modelRef;
  const { curl, client, watch } = getSnippets({
    server: location.origin,
    path: getPath(modelRef),
    model: [plural, version, group].filter((part) => part !== '').join('.'),
    parameters,
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
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say(t`Copied`);
    } catch {
      say(t`The browser does not allow copying.`);
    }
  };
  return (
    <section className="api-panel-snippet" aria-label={title}>
      <div className="api-panel-head">
        <h3>{title}</h3>
        <button type="button" className="quiet" aria-label={t`Copy ${title}`} onClick={() => void copy()}>
          <Icon name="copy" /> {t`Copy`}
        </button>
      </div>
      <pre tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </section>
  );
}
