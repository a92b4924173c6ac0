import { useState, type ReactNode } from 'react';
import { t } from '../../texts.js';

interface CopiedTextProps {
  /** For screen readers. */
  readonly label: string;
  readonly value: string;
}

/** A text to copy, such as a command. */
export function CopiedText({ label, value }: CopiedTextProps): ReactNode {
  const [notice, setNotice] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setNotice(t`Copied.`);
    } catch {
      setNotice(t`The browser does not let the page copy. Mark the text and copy it.`);
    }
  };
  return (
    <div className="copied-text">
      <pre className="well" role="region" aria-label={label} tabIndex={0}>
        {value}
      </pre>
      <button type="button" aria-label={t`Copy: ${label}`} onClick={() => void copy()}>
        {t`Copy`}
      </button>
      <p className="faint" role="status">
        {notice}
      </p>
    </div>
  );
}
