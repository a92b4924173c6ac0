import { useState, type ReactNode } from 'react';
import { t } from '../texts.js';
import { say } from './dialogs/toasts.js';
import { SignButton } from './icon.js';

interface CopyButtonProps {
  readonly text: string;
  /** The name for screen readers. */
  readonly label: string;
}

export function CopyButton({ text, label }: CopyButtonProps): ReactNode {
  return <SignButton icon="copy" label={label} onPress={() => void copyText(text)} />;
}

/** Copies a text and says so. */
export async function copyText(text: string): Promise<void> {
  const isCopied = await copy(text);
  say(isCopied ? t`Copied.` : t`The browser does not allow to copy. The text is: ${text}`);
}

/** @returns false when the browser refuses, as it does without a secure connection */
async function copy(text: string): Promise<boolean> {
  try {
    // On an insecure connection there is none, against its type: that throws, too.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

interface CopiedTextProps {
  /** For screen readers. */
  readonly label: string;
  readonly value: string;
  /** True when the button gets the focus. */
  readonly hasFocus?: boolean;
}

/** A text to copy, such as a command. Its message is beside it: screen readers skip those outside of a dialog. */
export function CopiedText({ label, value, hasFocus = false }: CopiedTextProps): ReactNode {
  const [notice, setNotice] = useState('');
  const press = async (): Promise<void> => {
    const isCopied = await copy(value);
    setNotice(isCopied ? t`Copied.` : t`The browser does not let the page copy. Mark the text and copy it.`);
  };
  return (
    <div className="copied-text">
      <code className="well" role="region" aria-label={label} tabIndex={0}>
        {value}
      </code>
      <button type="button" autoFocus={hasFocus} aria-label={t`Copy: ${label}`} onClick={() => void press()}>
        {t`Copy`}
      </button>
      <p className="faint" role="status">
        {notice}
      </p>
    </div>
  );
}
