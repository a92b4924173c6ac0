import type { ReactNode } from 'react';

interface PluginDetailsProps {
  readonly name: string;
  readonly tab: string;
}

/** A plugin with its tabs. */
export function PluginDetails({ name }: PluginDetailsProps): ReactNode {
  return <h1>{name}</h1>;
}
