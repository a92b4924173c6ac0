import { useState, type ReactNode } from 'react';
import { findLink } from '../../lib/links.js';
import { OutsideLink } from '../../parts/linked-text.js';
import { t } from '../../texts.js';
import type { OneProps } from '../parts.js';
import { formatText, orNothing } from './values.js';

const LONG = 120;

interface TextInputProps extends OneProps {
  readonly isLong?: boolean;
  readonly isCode?: boolean;
}

export function TextInput(props: TextInputProps): ReactNode {
  const { value, input, isLong = false, isCode = false, onChange } = props;
  const shown = formatText(value);
  // The first length decides, so that the input is not replaced during typing.
  const [isLongNow] = useState(isLong || shown.length > LONG || shown.includes('\n'));
  const shared = { ...input, value: shown, dir: 'auto', autoComplete: 'off' } as const;
  return isLongNow ? (
    <textarea
      {...shared}
      className={isCode ? 'form-long mono' : 'form-long'}
      spellCheck={!isCode}
      rows={3}
      onChange={({ target }) => onChange(orNothing(target.value))}
    />
  ) : (
    <input {...shared} spellCheck={false} onChange={({ target }) => onChange(orNothing(target.value))} />
  );
}

/** A text that is a URL or an address, with a link to it; or with a picture of it. */
export function UrlInput({ isImage = false, ...one }: OneProps & { readonly isImage?: boolean }): ReactNode {
  const text = formatText(one.value);
  const href = findLink(text);
  // The policy of the page allows only pictures of the service itself, and those within the text.
  const isOwn = /^data:image\//.test(text) || (text.startsWith('/') && !text.startsWith('//'));
  return (
    <div className="row tight form-with">
      <TextInput {...one} />
      {href !== undefined && (
        <OutsideLink href={href} label={t`Open ${one.input['aria-label']}`}>
          {t`Open`}
        </OutsideLink>
      )}
      {isImage && isOwn && <img className="form-picture" src={text} alt="" />}
    </div>
  );
}

/** A text that is hidden until the user shows it. */
export function PasswordInput({ value, input, onChange }: OneProps): ReactNode {
  const [isShown, setIsShown] = useState(false);
  return (
    <div className="row tight form-with">
      <input
        {...input}
        type={isShown ? 'text' : 'password'}
        value={formatText(value)}
        autoComplete="new-password"
        onChange={({ target }) => onChange(orNothing(target.value))}
      />
      <button
        type="button"
        className="quiet"
        aria-pressed={isShown}
        aria-label={t`Show ${input['aria-label']}`}
        onClick={() => setIsShown(!isShown)}
      >
        {isShown ? t`Hide` : t`Show`}
      </button>
    </div>
  );
}

/** A colour as text, and the picker of the browser. */
export function ColorInput(one: OneProps): ReactNode {
  const text = formatText(one.value);
  return (
    <div className="row tight form-with">
      <input
        type="color"
        className="form-color"
        aria-label={t`Choose ${one.input['aria-label']}`}
        value={/^#[\da-f]{6}$/i.test(text) ? text : '#000000'}
        onChange={({ target }) => one.onChange(target.value)}
      />
      <TextInput {...one} />
    </div>
  );
}
