import { useId, type ReactNode } from 'react';
import { formatBytes } from '../../../lib/format.js';
import { t } from '../../../texts.js';

export interface SourceText {
  /** Of the file; empty for a pasted text. */
  readonly name: string;
  readonly text: string;
}

interface SourceProps {
  readonly source: SourceText;
  readonly onText: (source: SourceText) => void;
  readonly onFile: (file: File) => void;
}

/** Longer texts are not displayed: an input with them would be slow. */
const SHOWN_MAX = 100_000;

/** A file, or a pasted text. */
export function Source({ source: { name, text }, onText, onFile }: SourceProps): ReactNode {
  const id = useId();
  const isLong = text.length > SHOWN_MAX;
  return (
    <div className="field">
      <label htmlFor={`${id}-file`}>{t`File`}</label>
      <input
        id={`${id}-file`}
        type="file"
        accept=".csv,.tsv,.txt,.ndjson,.jsonl,.yaml,.yml,.json"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) onFile(file);
        }}
      />
      {isLong ? (
        <p className="faint">{`${name} ${formatBytes(text.length)}`}</p>
      ) : (
        <>
          <label htmlFor={id}>{t`or text`}</label>
          <textarea
            id={id}
            rows={5}
            spellCheck={false}
            className="mono"
            value={text}
            onChange={({ target }) => onText({ name: '', text: target.value })}
          />
        </>
      )}
    </div>
  );
}
