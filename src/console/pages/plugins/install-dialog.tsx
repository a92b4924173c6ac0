import type { ReactNode } from 'react';
import type { Plugin } from '../../api/platform/plugins.js';
import { CloseButton, DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { t } from '../../texts.js';
import { CopiedText } from '../../parts/copy-button.js';

interface InstallDialogProps {
  readonly plugins: readonly Plugin[];
  readonly onClose: () => void;
}

/** The commands that install a plugin. The page itself installs none: code of a plugin may do everything on the machine. */
export default function InstallDialog({ plugins, onClose }: InstallDialogProps): ReactNode {
  const flag = getFlag(plugins);
  return (
    <DialogFrame title={t`Install a plugin`} onClose={onClose}>
      <p>{t`Run a command on the machine of the service. Install only plugins that you trust.`}</p>
      <CopiedText label={t`From npm`} value={`xsvc plugin install NAME${flag}`} />
      <CopiedText label={t`From a file`} value={`xsvc plugin install ./plugin.tgz${flag}`} />
      <CopiedText label={t`Write your own`} value={`xsvc plugin init NAME`} />
      <p className="faint">{t`With --watch the service loads it at once, otherwise at its next start.`}</p>
      <CloseButton onClose={onClose} />
    </DialogFrame>
  );
}

/** Names the directory of the installed plugins, when they share one. */
function getFlag(plugins: readonly Plugin[]): string {
  const places = new Set(plugins.map(({ directory = '' }) => directory.replace(/[\\/][^\\/]*$/, '')));
  const [place = ''] = places;
  if (places.size !== 1 || place === '') return '';
  return ` --plugins ${/^[\w./-]+$/.test(place) ? place : `'${place.replaceAll("'", "'\\''")}'`}`;
}
