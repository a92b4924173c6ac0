import type { ReactNode } from 'react';
import { useEventModel } from '../../api/events.js';
import { useMayDo } from '../../api/platform/rights.js';
import { t } from '../../texts.js';
import { PluginCards } from '../plugins/plugin-cards.js';
import { Alerts } from './alerts.js';
import { Events } from './events.js';
import { ModelBoard } from './model-board.js';
import { Recent } from './recent.js';
import { StoreFacts } from './store-facts.js';
import { useRecentChanges } from './use-recent-changes.js';

/** Problems, changes by people, and all models. */
export default function OverviewPage(): ReactNode {
  const recent = useRecentChanges();
  const mayDo = useMayDo();
  const events = useEventModel();
  return (
    <>
      <h1>{t`Overview`}</h1>
      <div className="overview-page">
        <Alerts />
        <Recent recent={recent} />
        <div className="stack">
          <ModelBoard recent={recent} />
          <PluginCards />
          {events !== undefined && mayDo('list', events) && <Events model={events} />}
          <StoreFacts />
        </div>
      </div>
    </>
  );
}
