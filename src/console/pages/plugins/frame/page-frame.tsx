import { useRef, useState, type ReactNode } from 'react';
import type { PluginPage } from '../../../api/platform/plugin-pages.js';
import type { ShownObject } from '../../../bridge/messages.js';
import { useIsDark } from '../../../appearance.js';
import { language } from '../../../language.js';
import { useStore } from '../../../lib/store.js';
import { Notice } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import { useBridge } from './use-bridge.js';

interface PageFrameProps {
  readonly page: PluginPage;
  /** The object whose tab shows the page. */
  readonly object?: ShownObject;
  /** The frame gets the height of its content within these limits, in pixels. Absent: it fills the window. */
  readonly heights?: { readonly min: number; readonly max: number };
  readonly onTitle?: (title: string) => void;
}

/** A page of a plugin in a sandbox. */
export function PageFrame(props: PageFrameProps): ReactNode {
  const [attempt, setAttempt] = useState(0);
  const { page } = props;
  return <Frame key={`${attempt} ${getUrl(page)}`} {...props} onAgain={() => setAttempt(attempt + 1)} />;
}

function getUrl({ plugin, path }: PluginPage): string {
  return `/plugins/${encodeURIComponent(plugin)}/assets/${path.split('/').map(encodeURIComponent).join('/')}`;
}

function Frame({
  page,
  object,
  heights,
  onTitle,
  onAgain,
}: PageFrameProps & { onAgain: () => void }): ReactNode {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(heights?.min);
  const isFlooding = useBridge({
    frame,
    state: { theme: useIsDark() ? 'dark' : 'light', language: useStore(language), ...(object && { object }) },
    onTitle: (title) => onTitle?.(title),
    onHeight: (wanted) => {
      if (heights !== undefined) setHeight(Math.max(heights.min, Math.min(heights.max, wanted)));
    },
  });
  if (isFlooding)
    return (
      <Notice tone="bad" title={t`The page of the plugin was stopped.`}>
        <p>{t`It sent too many messages.`}</p>
        <button type="button" onClick={onAgain}>
          {t`Load the page again`}
        </button>
      </Notice>
    );
  return (
    <iframe
      ref={frame}
      className="page-frame"
      title={page.title}
      src={getUrl(page)}
      sandbox="allow-scripts allow-forms"
      referrerPolicy="no-referrer"
      height={height}
    />
  );
}
