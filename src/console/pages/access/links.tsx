import { Fragment, type ReactNode } from 'react';
import { t } from '../../texts.js';

const SHOWN = 6;

interface LinksProps {
  readonly names: readonly string[];
  readonly getUrl: (name: string) => string;
}

/** The first names as links. */
export function Links({ names, getUrl }: LinksProps): ReactNode {
  if (names.length === 0) return <span className="faint">{t`none`}</span>;
  return (
    <span className={names.length > 1 ? 'access-links' : undefined}>
      {names.slice(0, SHOWN).map((name, i) => (
        <Fragment key={name}>
          {i > 0 && ', '}
          <a href={getUrl(name)}>{name}</a>
        </Fragment>
      ))}
      {names.length > SHOWN && <span className="faint"> {t`and ${names.length - SHOWN} more`}</span>}
    </span>
  );
}
