import { useId, useState, type ReactNode, type SubmitEvent } from 'react';
import type { StoredObject } from '../../../api/objects.js';
import { getGroups, setGroups, USERS } from '../../../api/platform/access.js';
import { useMay } from '../../../api/platform/rights.js';
import { SignButton } from '../../../parts/icon.js';
import { ErrorLine } from '../../../parts/notice.js';
import { Section } from '../../../parts/section.js';
import { t } from '../../../texts.js';
import { getRolesOf, type Grants } from '../grants.js';
import { Links } from '../parts.js';
import { getGroupUrl, getRoleUrl } from '../place.js';
import { useAccessWrite } from '../write-dialog.js';

interface UserGroupsProps {
  readonly user: StoredObject;
  readonly grants: Grants;
}

/** The groups of a user, with the roles of each; groups are added and removed here. */
export function UserGroups({ user, grants }: UserGroupsProps): ReactNode {
  const id = useId();
  const [typed, setTyped] = useState('');
  const groups = getGroups(user);
  const isAllowed = useMay('patch', USERS, user.metadata.name);
  const { mutate, isPending, error } = useAccessWrite(
    (changed: readonly string[]) => setGroups(user, changed),
    () => setTyped(''),
  );
  const write = (changed: readonly string[]): void => {
    if (isAllowed && !isPending) mutate(changed);
  };
  const added = typed.trim();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (added !== '' && !groups.includes(added)) write([...groups, added]);
  };
  return (
    <Section title={t`Groups`}>
      <ul className="stack tight" aria-label={t`Groups`}>
        {groups.map((name) => (
          <li key={name} className="actions spread well">
            <span>
              <a href={getGroupUrl(name)}>{name}</a> <span className="faint">{t`Roles`}:</span>{' '}
              <Links names={getRolesOf([{ kind: 'Group', name }], grants)} getUrl={getRoleUrl} />
            </span>
            <SignButton
              icon="close"
              label={t`Remove ${name}`}
              isDisabled={!isAllowed || isPending}
              onPress={() => write(groups.filter((one) => one !== name))}
            />
          </li>
        ))}
      </ul>
      <form className="line" onSubmit={submit}>
        <input
          className="access-page-new"
          aria-label={t`New group`}
          placeholder={t`New group`}
          list={id}
          value={typed}
          autoComplete="off"
          onChange={({ target }) => setTyped(target.value)}
        />
        <datalist id={id}>
          {[...grants.membersOf.keys()].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="submit" aria-disabled={!isAllowed || isPending || added === ''}>{t`Add`}</button>
        <ErrorLine error={error} />
      </form>
    </Section>
  );
}
