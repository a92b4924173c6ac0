import type { ReactNode } from 'react';
import { isOfService, formatMessage } from '../api/errors.js';
import { t } from '../texts.js';

type Tone = 'bad' | 'attention' | 'good' | 'plain';

interface NoticeProps {
  readonly tone: Tone;
  readonly title?: string;
  readonly children?: ReactNode;
}

/** An urgent notice; screen readers read it immediately. */
export function Notice({ tone, title, children }: NoticeProps): ReactNode {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {title !== undefined && <strong>{title}</strong>}
      {children}
    </div>
  );
}

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly title?: string;
}

export function ErrorNotice({ error, title }: ErrorNoticeProps): ReactNode {
  return (
    <Notice tone="bad" {...(title !== undefined && { title })}>
      <p lang={isOfService(error) ? 'en' : undefined}>{formatMessage(error)}</p>
    </Notice>
  );
}

/** An error beside what caused it. */
export function ErrorLine({ error }: { readonly error: unknown }): ReactNode {
  if (error === null) return null;
  return (
    <p className="problem" role="alert" lang={isOfService(error) ? 'en' : undefined}>
      {formatMessage(error)}
    </p>
  );
}

interface LoadingProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** A placeholder: for a load, or for its error. */
export function Pending({ error, onRetry }: LoadingProps): ReactNode {
  if (error === null || error === undefined)
    return (
      <p className="faint" role="status">
        {t`Loading…`}
      </p>
    );
  return (
    <>
      <ErrorNotice error={error} />
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          {t`Try again`}
        </button>
      )}
    </>
  );
}
