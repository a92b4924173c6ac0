import type { ReactNode } from 'react';
import { useWho } from '../../api/platform/who.js';
import { t } from '../../texts.js';
import { getUserUrl } from './place.js';

/** The user of this page, with a link to the user's roles, rights and tokens. */
export function Me(): ReactNode {
  const { data: name } = useWho();
  if (name === undefined) return null;
  return (
    <p className="access-me below">
      {t`You are signed in as`} <a href={getUserUrl(name)}>{name}</a>.
    </p>
  );
}
