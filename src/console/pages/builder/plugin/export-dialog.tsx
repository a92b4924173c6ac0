import type { ReactNode } from 'react';
import { DialogFrame } from '../../../parts/dialogs/dialog-frame.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { saveFile } from '../../list/export/export.js';
import { t } from '../../../texts.js';
import type { ModelDraft, ModelNames } from '../draft/model-draft.js';
import { exportPlugin, type PluginFile } from './plugin-files.js';
import { writeTar } from './tar.js';

interface ExportDialogProps {
  readonly draft: ModelDraft;
  readonly names: ModelNames;
  readonly onClose: () => void;
}

/** The model as a plugin: text to copy, and an archive. */
export function ExportDialog({ draft, names, onClose }: ExportDialogProps): ReactNode {
  const { name, files, leftOut } = exportPlugin(draft, names);
  const download = (): void => {
    const archived = files.map((file) => ({ ...file, name: `${name}/${file.name}` }));
    saveFile(writeTar(archived), `${name}.tar`);
  };
  return (
    <DialogFrame title={t`Export as a plugin`} onClose={onClose}>
      <p className="faint">
        {t`A plugin may have controllers, endpoints and rules in code. Start it in a service without this model: a model is made either here or by a plugin.`}
      </p>
      {leftOut.length > 0 && (
        <p className="attention">
          {t`The code leaves out:`} <code>{leftOut.join(', ')}</code>
        </p>
      )}
      {files.map((file) => (
        <FileText key={file.name} file={file} />
      ))}
      <div className="actions">
        <button type="button" onClick={onClose}>{t`Close`}</button>
        <button type="button" className="primary" onClick={download}>
          {t`Download ${`${name}.tar`}`}
        </button>
      </div>
    </DialogFrame>
  );
}

function FileText({ file: { name, text } }: { readonly file: PluginFile }): ReactNode {
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => say(t`Copied.`),
      () => say(t`The browser does not allow copying. Select the text.`),
    );
  };
  return (
    <section className="export-dialog-file" aria-label={name}>
      <div className="row spread">
        <code>{name}</code>
        <button type="button" className="quiet" aria-label={t`Copy ${name}`} onClick={copy}>
          {t`Copy`}
        </button>
      </div>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
