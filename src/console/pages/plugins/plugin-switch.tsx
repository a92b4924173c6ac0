import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { getPath } from '../../api/models.js';
import { PLUGINS, usePlugins, type Plugin, type PluginModel } from '../../api/platform/plugins.js';
import { readTotal } from '../../api/tables.js';
import { useMay } from '../../api/platform/rights.js';
import { useEnable } from '../../api/platform/use-enable.js';
import { Confirm } from '../../parts/dialogs/confirm.js';
import { ErrorLine } from '../../parts/notice.js';
import { t } from '../../texts.js';
import { affectedBy } from './affected.js';

/** Starts a plugin, or asks for confirmation to stop it. */
export function PluginSwitch({ plugin }: { readonly plugin: Plugin }): ReactNode {
  const { name, isEnabled } = plugin;
  const [isAsked, setIsAsked] = useState(false);
  const id = useId();
  const mayPatch = useMay('patch', PLUGINS, name);
  const { mutate, isPending, error } = useEnable(PLUGINS, name, ['plugins']);
  return (
    <>
      <button
        type="button"
        disabled={isPending || !mayPatch}
        aria-describedby={mayPatch ? undefined : id}
        onClick={() => (isEnabled ? setIsAsked(true) : mutate(true))}
      >
        {isEnabled ? t`Disable` : t`Enable`}
      </button>
      {!mayPatch && (
        <p id={id} className="faint">
          {t`You may not change ${PLUGINS.plural}.`}
        </p>
      )}
      {isAsked && (
        <Confirm
          title={t`Disable ${name}?`}
          action={t`Disable`}
          isDangerous
          isDisabled={isPending}
          error={error}
          onConfirm={() => mutate(false, { onSuccess: () => setIsAsked(false) })}
          onCancel={() => setIsAsked(false)}
        >
          <Consequences plugin={plugin} />
        </Confirm>
      )}
      {!isAsked && <ErrorLine error={error} />}
    </>
  );
}

/** The current number of objects: the plugin's status is from its start. It is used for models that may not be listed. */
async function countObjects(models: readonly PluginModel[], signal: AbortSignal): Promise<number> {
  const counts = models.map(async (model) => {
    try {
      return await readTotal(getPath(model), signal);
    } catch {
      return model.objects ?? 0;
    }
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Models and objects that are no longer served. */
function Consequences({ plugin }: { readonly plugin: Plugin }): ReactNode {
  const { data } = usePlugins();
  const { models, dependents } = affectedBy(plugin, data?.items ?? [plugin]);
  const { data: objects } = useQuery({
    queryKey: ['objects of', models.map(getPath)],
    queryFn: ({ signal }) => countObjects(models, signal),
  });
  return (
    <>
      <p>
        {objects === undefined
          ? t`Loading…`
          : t`${models.length} [model|models] with ${objects} [object|objects] will not be served until it is enabled again. Nothing is deleted.`}
      </p>
      {dependents.length > 0 && (
        <>
          <p>{t`These plugins depend on it, and stop too:`}</p>
          <ul className="well tall mono">
            {dependents.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
