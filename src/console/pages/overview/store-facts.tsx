import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CONTROLLERS, useControllers } from '../../api/platform/controllers.js';
import { getJson } from '../../api/http.js';
import { useMay, useMayReadPath } from '../../api/platform/rights.js';
import { useServiceSamples } from '../../api/platform/service-samples.js';
import { formatBytes, formatCount } from '../../lib/format.js';
import { textAt } from '../../lib/json.js';
import { Facts } from '../../parts/facts.js';
import { LeaderName } from '../../parts/leader-name.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import { BackupButton } from './backup-button.js';

/** The size of the store and its log, and the leader. */
export function StoreFacts(): ReactNode {
  const { data: samples, error } = useServiceSamples();
  const mayRead = useMayReadPath()('/metrics');
  const maySeeLeader = useMay('list', CONTROLLERS);
  const { data: version } = useQuery({
    queryKey: ['version'],
    queryFn: async ({ signal }) => textAt(await getJson('/version', signal), 'xsvcVersion'),
  });
  const of = (name: string, format: (value: number) => string): string | undefined => {
    const value = samples?.value(name);
    return value === undefined ? undefined : format(value);
  };
  return (
    <Section title={t`Store`} actions={<BackupButton />}>
      {samples === undefined && mayRead && <Pending error={error} />}
      {!mayRead && <p className="faint">{t`You may not read the metrics of the service.`}</p>}
      <Facts
        facts={[
          [t`Version`, version],
          [t`Leader`, maySeeLeader ? <LeaderFact key="leader" /> : undefined],
          [t`File size`, of('xsvc_store_bytes', formatBytes)],
          [t`Free`, of('xsvc_store_free_bytes', formatBytes)],
          [t`Revision`, of('xsvc_store_revision', formatCount)],
          [t`Changes in the log`, of('xsvc_log_entries', formatCount)],
          [t`Size of the log`, of('xsvc_log_bytes', formatBytes)],
          [t`Watches`, of('xsvc_watchers', formatCount)],
        ]}
      />
    </Section>
  );
}

function LeaderFact(): ReactNode {
  const { data } = useControllers();
  return data === undefined ? '–' : <LeaderName leader={data.leader} />;
}
