import type { ReactNode } from 'react';
import { usePluginPages } from '../../api/platform/plugin-pages.js';
import { Section } from '../../parts/section.js';
import { PageFrame } from './frame/page-frame.js';

const HEIGHTS = { min: 80, max: 480 } as const;

/** The cards that plugins add to the overview. */
export function PluginCards(): ReactNode {
  return usePluginPages('card').map((page) => (
    <Section key={`${page.plugin} ${page.path}`} title={page.title}>
      <PageFrame page={page} heights={HEIGHTS} />
    </Section>
  ));
}
