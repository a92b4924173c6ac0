import type { ReactNode } from 'react';
import { OwnPage } from './own-page.js';
import { PluginDetails } from './details/plugin-details.js';

interface PluginRouteProps {
  readonly name: string;
  readonly path: string;
}

/** A plugin, or one of its pages. */
export default function PluginRoute({ name, path }: PluginRouteProps): ReactNode {
  return path.endsWith('.html') ? (
    <OwnPage plugin={name} path={path} />
  ) : (
    <PluginDetails name={name} tab={path} />
  );
}
