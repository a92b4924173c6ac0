import { useState, type ReactNode } from 'react';
import { findLink } from '../../lib/links.js';
import { t } from '../../texts.js';
import type { OneProps } from '../parts.js';
import { formatText, orNothing } from './values.js';

/** A longer text gets several lines. */
const LONG = 120;

interface TextInputProps extends OneProps {
  /** True for several lines. */
  readonly isLong?: boolean;
  readonly isCode?: boolean;
}

export function TextInput({
  value,
  input,
  isLong = false,
  isCode = false,
  onChange,
}: TextInputProps): ReactNode {
  const shown = formatText(value);
  // The first length decides, so that the input is not replaced during typing.
  const [isLongNow] = useState(isLong || shown.length > LONG || shown.includes('\n'));
  const props = { ...input, value: shown, dir: 'auto', autoComplete: 'off' } as const;
  return isLongNow ? (
    <textarea
      {...props}
      className={isCode ? 'form-long mono' : 'form-long'}
      spellCheck={!isCode}
      rows={3}
      onChange={({ target }) => onChange(orNothing(target.value))}
    />
  ) : (
    <input {...props} spellCheck={false} onChange={({ target }) => onChange(orNothing(target.value))} />
  );
}

/** A text that is a URL or an address, with a link to it; or with a picture of it. */
export function UrlInput({ isImage = false, ...one }: OneProps & { readonly isImage?: boolean }): ReactNode {
  const text = formatText(one.value);
  const href = findLink(text);
  return (
    <div className="form-with">
      <TextInput {...one} />
      {href !== undefined && (
        <a
          className="form-open outside"
          href={href}
          target="_blank"
          rel="noopener noreferrer"
          title={t`Opens a new tab`}
          aria-label={t`Open ${one.input['aria-label']}`}
        >
          {t`Open`}
        </a>
      )}
      {isImage && <Preview text={text} />}
    </div>
  );
}

/** The policy of the page allows only pictures of the service itself, and those within the text. */
function Preview({ text }: { readonly text: string }): ReactNode {
  const isOwn = /^data:image\//.test(text) || (text.startsWith('/') && !text.startsWith('//'));
  if (!isOwn) return null;
  return <img className="form-picture" src={text} alt="" />;
}
