import type { ReactNode } from 'react';
import { CopiedText } from '../../../parts/copy-button.js';
import { CloseButton, DialogFrame } from '../../../parts/dialogs/dialog-frame.js';
import { saveFile } from '../../list/export/save-file.js';
import { t } from '../../../texts.js';
import type { ModelDraft, ModelNames } from '../draft/model-draft.js';
import { exportPlugin } from './plugin-files.js';
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
        <div key={file.name}>
          <code>{file.name}</code>
          <CopiedText label={file.name} value={file.text} />
        </div>
      ))}
      <CloseButton onClose={onClose}>
        <button type="button" className="primary" onClick={download}>
          {t`Download ${`${name}.tar`}`}
        </button>
      </CloseButton>
    </DialogFrame>
  );
}
