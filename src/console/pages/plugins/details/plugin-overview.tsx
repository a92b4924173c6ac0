import type { ReactNode } from 'react';
import type { Plugin } from '../../../api/platform/plugins.js';
import { Badge } from '../../../parts/badge.js';
import { Facts } from '../../../parts/facts.js';
import { LinkedText } from '../../../parts/linked-text.js';
import { Notice } from '../../../parts/notice.js';
import { Section } from '../../../parts/section.js';
import { formatRoute } from '../../../routes/route.js';
import { t } from '../../../texts.js';
import { PluginModels } from '../plugin-models.js';

interface PluginOverviewProps {
  readonly plugin: Plugin;
  readonly all: readonly Plugin[];
}

/** The state and the parts of a plugin. */
export function PluginOverview({ plugin, all }: PluginOverviewProps): ReactNode {
  const { name, message, phase, models, endpoints, needs } = plugin;
  const dependents = all.filter((one) => one.needs.includes(name)).map((one) => one.name);
  const isFailed = phase === 'FAILED';
  const unfit = models.filter((model) => model.unfit > 0);
  return (
    <>
      {message !== undefined && (
        <Notice
          tone={isFailed ? 'bad' : 'attention'}
          title={isFailed ? t`The plugin has failed.` : t`Message`}
        >
          <p className="tall text" lang="en">
            {message}
          </p>
          <p>
            <a href={formatRoute({ page: 'plugin', name, path: 'log' })}>{t`Show the log`}</a>
          </p>
        </Notice>
      )}
      <div className="tiles">
        <Section title={t`About`}>
          <Facts
            facts={[
              [t`Version`, plugin.version],
              [t`Description`, plugin.description],
              [t`Homepage`, plugin.homepage && <LinkedText value={plugin.homepage} />],
              [t`Directory`, plugin.directory && <code>{plugin.directory}</code>],
              [t`Needs`, getLinks(needs, all)],
              [t`Needed by`, getLinks(dependents, all)],
            ]}
          />
        </Section>
        <Section title={t`Models`}>
          <PluginModels models={models} />
          {unfit.map((model) => (
            <p key={model.plural} className="attention">
              {t`${model.unfit} [object|objects] of ${model.plural} do not match the schema.`}
            </p>
          ))}
        </Section>
        <Section title={t`Endpoints`}>
          {endpoints.length === 0 && <p className="faint">{t`None.`}</p>}
          <ul className="lines">
            {endpoints.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </Section>
      </div>
    </>
  );
}

/** Links to plugins, with the phase of those that do not run; undefined without any. */
function getLinks(names: readonly string[], all: readonly Plugin[]): ReactNode {
  if (names.length === 0) return undefined;
  return (
    <ul>
      {names.map((name) => {
        const found = all.find((one) => one.name === name);
        return (
          <li key={name}>
            {found === undefined ? (
              name
            ) : (
              <a href={formatRoute({ page: 'plugin', name, path: '' })}>{name}</a>
            )}
            {found !== undefined && found.phase !== 'STARTED' && <Badge word={found.phase} />}
          </li>
        );
      })}
    </ul>
  );
}
