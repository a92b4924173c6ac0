import type { ReactNode } from 'react';
import { CONTROLLERS } from '../api/platform/controllers.js';
import { PLUGINS } from '../api/platform/plugins.js';
import { useMay, useMayRead } from '../api/platform/rights.js';
import { USERS } from '../api/platform/access.js';
import { formatRoute, PAGES, type Page, type Route } from '../routes/route.js';
import { text } from '../texts.js';

/** The pages that the current user may open. */
export function useMayPages(): readonly Page[] {
  const may: Readonly<Partial<Record<Page, boolean>>> = {
    plugins: useMay('list', PLUGINS),
    controllers: useMay('list', CONTROLLERS),
    access: useMay('list', USERS),
    metrics: useMayRead('/metrics'),
  };
  return PAGES.filter((page) => may[page] !== false);
}

export function Pages({ current }: { readonly current: Route['page'] }): ReactNode {
  return (
    <nav aria-label={text.nav.label}>
      {useMayPages().map((page) => (
        <a key={page} href={formatRoute({ page })} aria-current={page === current ? 'page' : undefined}>
          {text.nav[page]}
        </a>
      ))}
    </nav>
  );
}
