import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { isOfService, messageOf } from '../../api/errors.js';
import { send } from '../../api/http.js';
import { objectPath } from '../../api/models.js';
import { PLUGINS, usePlugins, type Plugin } from '../../api/plugins.js';
import { useMay } from '../../api/rights.js';
import { Confirm } from '../../parts/confirm.js';
import { text } from '../../texts.js';
import { affectedBy } from './affected.js';

/** Starts a plugin, or asks whether to stop it, for good. */
export function PluginSwitch({ plugin }: { readonly plugin: Plugin }): ReactNode {
  const { name, isEnabled } = plugin;
  const client = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const id = useId();
  const mayPatch = useMay('patch', PLUGINS, name);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (enabled: boolean) =>
      send(objectPath(PLUGINS, name), {
        method: 'PATCH',
        body: { spec: { enabled } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      }),
    onSuccess: () => setIsAsked(false),
    onSettled: () => client.invalidateQueries({ queryKey: ['plugins'] }),
  });
  return (
    <>
      <button
        type="button"
        disabled={isPending || !mayPatch}
        aria-describedby={mayPatch ? undefined : id}
        onClick={() => (isEnabled ? setIsAsked(true) : mutate(true))}
      >
        {isEnabled ? text.plugins.disable : text.plugins.enable}
      </button>
      {!mayPatch && (
        <p id={id} className="faint">
          {text.rights.mayNotChange(PLUGINS.plural)}
        </p>
      )}
      {isAsked && (
        <Confirm
          title={text.plugins.disableTitle(name)}
          action={text.plugins.disable}
          isDangerous
          isBusy={isPending}
          error={error}
          onConfirm={() => mutate(false)}
          onCancel={() => setIsAsked(false)}
        >
          <Consequences plugin={plugin} />
        </Confirm>
      )}
      {error !== null && !isAsked && (
        <p className="problem" role="alert" lang={isOfService(error) ? 'en' : undefined}>
          {messageOf(error)}
        </p>
      )}
    </>
  );
}

/** What is not served any more, as far as the service has said how much there is. */
function Consequences({ plugin }: { readonly plugin: Plugin }): ReactNode {
  const { data } = usePlugins();
  const { models, objects, dependents } = affectedBy(plugin, data?.items ?? [plugin]);
  return (
    <>
      <p>{text.plugins.disableHint(models, objects)}</p>
      {dependents.length > 0 && (
        <>
          <p>{text.plugins.dependents}</p>
          <ul className="names">
            {dependents.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
