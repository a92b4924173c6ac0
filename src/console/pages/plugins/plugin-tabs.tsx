import type { ReactNode } from 'react';
import type { ModelRef } from '../../api/models.js';
import { usePluginTabs, type PluginPage } from '../../api/platform/plugin-pages.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { Notice } from '../../parts/notice.js';
import { formatRoute, MAIN_VIEW } from '../../routes/route.js';
import { t } from '../../texts.js';

const PageFrame = lazyPart(async () => ({ default: (await import('./frame/page-frame.js')).PageFrame }));

const HEIGHTS = { min: 240, max: 4_000 } as const;

interface TabProps {
  readonly modelRef: ModelRef;
  readonly name: string;
  /** The displayed tab, as `<plugin>/<file>`; undefined when it is not one of a plugin. */
  readonly current: string | undefined;
}

const getTab = ({ plugin, path }: PluginPage): string => `${plugin}/${path}`;

/** Links to the tabs that plugins add to the objects of a model. */
export function PluginTabLinks({ modelRef, name, current }: TabProps): ReactNode {
  return usePluginTabs(modelRef).map((page) => (
    <a
      key={getTab(page)}
      href={formatRoute({ page: 'object', model: modelRef, name, view: MAIN_VIEW, tab: getTab(page) })}
      aria-current={getTab(page) === current ? 'page' : undefined}
    >
      {page.title}
    </a>
  ));
}

/** The displayed tab of a plugin. */
export function PluginTab({ modelRef: { group, version, plural }, name, current }: TabProps): ReactNode {
  const page = usePluginTabs({ group, version, plural }).find((one) => getTab(one) === current);
  if (current === undefined) return null;
  if (page === undefined) return <Notice tone="attention">{t`No running plugin has this page.`}</Notice>;
  return <PageFrame key={name} page={page} object={{ group, version, plural, name }} heights={HEIGHTS} />;
}
