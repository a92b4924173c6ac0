import { useEffect, useState, type ReactNode } from 'react';
import { usePluginPage } from '../../api/platform/plugin-pages.js';
import { Notice, Pending } from '../../parts/notice.js';
import { formatRoute } from '../../routes/route.js';
import { t } from '../../texts.js';
import { PluginDetails } from './details/plugin-details.js';
import { PageFrame } from './frame/page-frame.js';

interface PluginRouteProps {
  readonly name: string;
  readonly path: string;
}

/** A plugin, or one of its pages. */
export default function PluginRoute({ name, path }: PluginRouteProps): ReactNode {
  return path.endsWith('.html') ? (
    <OwnPage plugin={name} path={path} />
  ) : (
    <PluginDetails name={name} tab={path} />
  );
}

interface OwnPageProps {
  readonly plugin: string;
  /** The file. */
  readonly path: string;
}

/** A page of a plugin that fills the window. */
function OwnPage({ plugin, path }: OwnPageProps): ReactNode {
  const page = usePluginPage(plugin, path);
  const [title, setTitle] = useState('');
  useEffect(() => {
    if (title !== '') document.title = `${title} – xsvc`;
  }, [title]);
  if (page === undefined) return <Pending error={null} />;
  const link = <a href={formatRoute({ page: 'plugin', name: plugin, path: '' })}>{plugin}</a>;
  return (
    <>
      <div className="row below">
        <h1>{title === '' ? (page?.title ?? path) : title}</h1>
        <p className="faint">
          {t`Page of the plugin`} {link}
        </p>
      </div>
      {page === null ? (
        <Notice tone="attention">{t`No running plugin has this page.`}</Notice>
      ) : (
        <PageFrame page={page} onTitle={setTitle} />
      )}
    </>
  );
}
