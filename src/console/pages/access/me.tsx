import type { ReactNode } from 'react';
import { useMe } from '../../api/platform/me.js';
import { t } from '../../texts.js';
import { getUserUrl } from './place.js';

/** The user of this page, with a link to the user's roles, rights and tokens. */
export function Me(): ReactNode {
  const name = useMe();
  if (name === undefined) return null;
  return (
    <p className="access-me below">
      {t`You are signed in as`} <a href={getUserUrl(name)}>{name}</a>.
    </p>
  );
}
