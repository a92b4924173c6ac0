import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, type ReactNode } from 'react';
import { isOfService, messageOf } from '../../api/errors.js';
import { send } from '../../api/http.js';
import { objectPath } from '../../api/models.js';
import { PLUGINS, type Plugin } from '../../api/plugins.js';
import { useMay } from '../../api/rights.js';
import { text } from '../../texts.js';

/** Starts or stops a plugin, for good. */
export function PluginSwitch({ plugin: { name, isEnabled } }: { readonly plugin: Plugin }): ReactNode {
  const client = useQueryClient();
  const id = useId();
  const mayPatch = useMay('patch', PLUGINS, name);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      send(objectPath(PLUGINS, name), {
        method: 'PATCH',
        body: { spec: { enabled: !isEnabled } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['plugins'] }),
  });
  return (
    <>
      <button
        type="button"
        disabled={isPending || !mayPatch}
        aria-describedby={mayPatch ? undefined : id}
        onClick={() => mutate()}
      >
        {isEnabled ? text.plugins.disable : text.plugins.enable}
      </button>
      {!mayPatch && (
        <p id={id} className="faint">
          {text.rights.mayNotChange(PLUGINS.plural)}
        </p>
      )}
      {error !== null && (
        <p className="problem" role="alert" lang={isOfService(error) ? 'en' : undefined}>
          {messageOf(error)}
        </p>
      )}
    </>
  );
}
