import type { ReactNode } from 'react';
import { t } from '../texts.js';
import { say } from './dialogs/toasts.js';
import { Icon } from './icon.js';

interface CopyButtonProps {
  readonly text: string;
  /** The name for screen readers. */
  readonly label: string;
}

/** A small button that copies a text. */
export function CopyButton({ text, label }: CopyButtonProps): ReactNode {
  return (
    <button
      type="button"
      className="quiet sign"
      aria-label={label}
      title={label}
      onClick={() => void copyText(text)}
    >
      <Icon name="copy" />
    </button>
  );
}

/** Copies a text and says so. Without a secure connection the browser refuses. */
export async function copyText(text: string): Promise<void> {
  try {
    // On an insecure connection there is none, against its type: that throws, too.
    await navigator.clipboard.writeText(text);
    say(t`Copied.`);
  } catch {
    say(t`The browser does not allow to copy. The text is: ${text}`);
  }
}
