import type { ReactNode } from 'react';
import { useEventModel } from '../../api/events.js';
import { PLUGINS } from '../../api/platform/plugins.js';
import { useMayDo } from '../../api/platform/rights.js';
import { t } from '../../texts.js';
import { Events } from './events.js';
import { Models } from './models.js';
import { Plugins } from './plugins.js';
import { Recent } from './recent.js';
import { StoreFacts } from './store-facts.js';
import { useRecentChanges } from './use-recent-changes.js';

/** The models, the events and the state of the service. */
export default function OverviewPage(): ReactNode {
  const recent = useRecentChanges();
  const mayDo = useMayDo();
  const events = useEventModel();
  return (
    <>
      <h1>{t`Overview`}</h1>
      <div className="columns">
        <Models recent={recent} />
        <div className="stack">
          <Recent recent={recent} />
          <StoreFacts />
          {mayDo('list', PLUGINS) && <Plugins />}
          {events !== undefined && mayDo('list', events) && <Events model={events} />}
        </div>
      </div>
    </>
  );
}
