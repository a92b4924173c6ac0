import type { ReactNode } from 'react';
import type { PluginPage } from '../../../api/platform/plugin-pages.js';
import type { Plugin } from '../../../api/platform/plugins.js';
import { Icon } from '../../../parts/icon.js';
import { SimpleTable } from '../../../parts/simple-table.js';
import { formatRoute } from '../../../routes/route.js';
import { t } from '../../../texts.js';

const PLACES: Readonly<Record<PluginPage['placement'], () => string>> = {
  sidebar: () => t`Sidebar`,
  tab: () => t`Tab of objects`,
  card: () => t`Card of the overview`,
};

/** The pages that a plugin adds to the console. */
export function PagesTab({ plugin: { pages, phase } }: { readonly plugin: Plugin }): ReactNode {
  if (pages.length === 0)
    return (
      <p className="empty">{t`This plugin adds no pages. Its manifest can list some under spec.console.pages.`}</p>
    );
  return (
    <SimpleTable
      label={t`Pages`}
      rows={pages}
      getKey={(_, i) => i}
      columns={[
        [t`Title`, (page) => <Title page={page} isServed={phase === 'STARTED'} />],
        [t`Place`, ({ placement }) => PLACES[placement]()],
        [t`Model`, ({ model }) => model ?? '–'],
        [t`File`, ({ path }) => <code>{`public/${path}`}</code>],
      ]}
    />
  );
}

function Title({ page, isServed }: { readonly page: PluginPage; readonly isServed: boolean }): ReactNode {
  const { plugin: name, path, title, icon } = page;
  return (
    <>
      {icon !== undefined && <Icon name={icon} />}{' '}
      {isServed ? <a href={formatRoute({ page: 'plugin', name, path })}>{title}</a> : title}
    </>
  );
}
