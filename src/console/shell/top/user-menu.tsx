import { Suspense, useState, type ReactNode } from 'react';
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { useMe } from '../../api/platform/me.js';
import { DENSITIES, density, theme, THEMES, type Density, type Theme } from '../../appearance.js';
import { useStore } from '../../lib/store.js';
import { Icon } from '../../parts/icon.js';
import { LanguageSelect } from '../../parts/choices/language-select.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { Segmented } from '../../parts/choices/segmented.js';
import { session, signOut } from '../../session/session.js';
import { isKeyHelpOpen } from '../keys.js';
import { t } from '../../texts.js';

const MyRights = lazyPart(() => import('./my-rights.js'));

const LABELS: Readonly<Record<Theme | Density, () => string>> = {
  system: () => t`System`,
  light: () => t`Light`,
  dark: () => t`Dark`,
  compact: () => t`Compact`,
  normal: () => t`Normal`,
  roomy: () => t`Roomy`,
};

/** The name of the user, the look of the page, and the sign-out. */
export function UserMenu(): ReactNode {
  const me = useMe();
  const initials = getInitials(me ?? '');
  const { token } = useStore(session);
  const [isOpen, setIsOpen] = useState(false);
  const [hasRights, setHasRights] = useState(false);
  const leaveTo = (open: () => void) => () => {
    setIsOpen(false);
    open();
  };
  return (
    <>
      <DialogTrigger isOpen={isOpen} onOpenChange={setIsOpen}>
        {/* Voice control uses the visible text, so the name contains it. */}
        <Button
          className="user-menu-button"
          aria-label={me === undefined ? t`User` : `${t`User ${me}`}, ${initials}`}
        >
          {me === undefined ? <Icon name="user" /> : initials}
        </Button>
        <Popover className="popover user-menu" placement="bottom end">
          <Dialog className="user-menu-content stack" aria-label={t`User`}>
            <p className="user-menu-name">{me ?? t`Not signed in`}</p>
            <Segmented
              label={t`Theme`}
              value={useStore(theme.now)}
              choices={THEMES.map((one) => [one, LABELS[one]()])}
              onChange={(chosen) => theme.set(chosen)}
            />
            <Segmented
              label={t`Height of rows`}
              value={useStore(density.now)}
              choices={DENSITIES.map((one) => [one, LABELS[one]()])}
              onChange={(chosen) => density.set(chosen)}
            />
            <LanguageSelect />
            <div className="user-menu-ends stack tight">
              <button type="button" onClick={leaveTo(() => setHasRights(true))}>
                <Icon name="key" />
                {t`My rights`}
              </button>
              <button type="button" onClick={leaveTo(() => isKeyHelpOpen.set(true))}>
                {t`Show all keys`} <kbd aria-hidden="true">?</kbd>
              </button>
              {(token !== undefined || me !== undefined) && (
                <button type="button" onClick={signOut}>
                  {t`Sign out`}
                </button>
              )}
            </div>
          </Dialog>
        </Popover>
      </DialogTrigger>
      <Suspense fallback={null}>{hasRights && <MyRights onClose={() => setHasRights(false)} />}</Suspense>
    </>
  );
}

/** One or two letters for a name: `AL` for `ada.lovelace`. */
function getInitials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const letters = words.length > 1 ? words.map((word) => Array.from(word)[0]) : Array.from(words[0] ?? name);
  return letters.slice(0, 2).join('').toUpperCase();
}
