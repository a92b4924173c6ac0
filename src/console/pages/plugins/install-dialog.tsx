import type { ReactNode } from 'react';
import { CloseButton, DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { t } from '../../texts.js';
import { CopiedText } from '../../parts/copy-button.js';

interface InstallDialogProps {
  readonly onClose: () => void;
}

/** The commands that install a plugin. The page itself installs none: code of a plugin may do everything on the machine. */
export default function InstallDialog({ onClose }: InstallDialogProps): ReactNode {
  return (
    <DialogFrame title={t`Install a plugin`} onClose={onClose}>
      <p>{t`Run a command on the machine of the service. Install only plugins that you trust.`}</p>
      <CopiedText label={t`From npm`} value={`npm install --ignore-scripts NAME`} />
      <CopiedText label={t`From a file`} value={`npm install --ignore-scripts ./plugin.tgz`} />
      <CopiedText label={t`Write your own`} value={`xsvc plugin init NAME`} />
      <p className="faint">{t`Start the service with --plugins node_modules/NAME, or copy the directory into its plugin directory: with --watch it is loaded at once, otherwise at the next start.`}</p>
      <CloseButton onClose={onClose} />
    </DialogFrame>
  );
}
