import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CONTROLLERS, useControllers } from '../../api/platform/controllers.js';
import { getJson } from '../../api/http.js';
import { useMay, useMayRead } from '../../api/platform/rights.js';
import { useServiceSamples } from '../../api/platform/service-samples.js';
import { formatBytes, formatCount } from '../../lib/format.js';
import { textAt } from '../../lib/json.js';
import { Facts } from '../../parts/facts.js';
import { LeaderName } from '../../parts/leader-name.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { text } from '../../texts.js';

/** The size of the store and its log, and the leader. */
export function StoreFacts(): ReactNode {
  const { data: samples, error } = useServiceSamples();
  const mayRead = useMayRead('/metrics');
  const maySeeLeader = useMay('list', CONTROLLERS);
  const { data: version } = useQuery({
    queryKey: ['version'],
    queryFn: async ({ signal }) => textAt(await getJson('/version', signal), 'xsvcVersion'),
  });
  const { overview } = text;
  const of = (name: string, format: (value: number) => string): string | undefined => {
    const value = samples?.value(name);
    return value === undefined ? undefined : format(value);
  };
  return (
    <Section title={overview.store}>
      {samples === undefined && mayRead && <Pending error={error} />}
      {!mayRead && <p className="faint">{overview.noMeasures}</p>}
      <Facts
        facts={[
          [overview.version, version],
          [overview.leader, maySeeLeader ? <LeaderFact key="leader" /> : undefined],
          [overview.storeBytes, of('xsvc_store_bytes', formatBytes)],
          [overview.freeBytes, of('xsvc_store_free_bytes', formatBytes)],
          [overview.revision, of('xsvc_store_revision', formatCount)],
          [overview.logEntries, of('xsvc_log_entries', formatCount)],
          [overview.logBytes, of('xsvc_log_bytes', formatBytes)],
          [overview.watchers, of('xsvc_watchers', formatCount)],
        ]}
      />
    </Section>
  );
}

function LeaderFact(): ReactNode {
  const { data } = useControllers();
  return data === undefined ? text.none : <LeaderName leader={data.leader} />;
}
