import { useEffect, useState, type ReactNode } from 'react';
import { usePluginPage } from '../../api/platform/plugin-pages.js';
import { Notice, Pending } from '../../parts/notice.js';
import { formatRoute } from '../../routes/route.js';
import { t } from '../../texts.js';
import { PageFrame } from './frame/page-frame.js';

interface OwnPageProps {
  readonly plugin: string;
  /** The file. */
  readonly path: string;
}

/** A page of a plugin that fills the window. */
export function OwnPage({ plugin, path }: OwnPageProps): ReactNode {
  const page = usePluginPage(plugin, path);
  const [title, setTitle] = useState('');
  useEffect(() => {
    if (title !== '') document.title = `${title} – xsvc`;
  }, [title]);
  if (page === undefined) return <Pending error={null} />;
  const link = <a href={formatRoute({ page: 'plugin', name: plugin, path: '' })}>{plugin}</a>;
  return (
    <>
      <div className="own-page-head">
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
