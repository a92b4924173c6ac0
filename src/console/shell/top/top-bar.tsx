import type { ReactNode } from 'react';
import { INSTANCE } from '../../lib/instance.js';
import type { Route } from '../../routes/route.js';
import { t } from '../../texts.js';
import { PaletteButton } from '../palette/palette-button.js';
import { SideDrawer } from '../side/side-drawer.js';
import { LiveButton } from './live-button.js';
import { UserMenu } from './user-menu.js';

interface TopBarProps {
  readonly route: Route;
  /** True when the side is always displayed. */
  readonly hasSide: boolean;
}

/** The name of the service, the search, and what concerns the user. */
export function TopBar({ route, hasSide }: TopBarProps): ReactNode {
  return (
    <header className="top-bar line">
      {!hasSide && <SideDrawer route={route} />}
      <a className="top-bar-brand line" href="#/">
        <span className="top-bar-logo" aria-hidden="true" />
        <span className="cut">{INSTANCE.name}</span>
        {INSTANCE.environment !== undefined && (
          <span className="top-bar-environment cut">{INSTANCE.environment}</span>
        )}
      </a>
      <PaletteButton />
      <div className="top-bar-end line end">
        <LiveButton />
        <a className="top-bar-link button quiet" href="/swagger-ui.html">{t`API`}</a>
        <UserMenu />
      </div>
    </header>
  );
}
