import { escapeHtml } from '../../lib/escape-html.js';

/** How a service shows in its console which one it is. The page needs no token for it. */
export interface ConsoleBrand {
  readonly name?: string | undefined;
  readonly environment?: string | undefined;
  /** The name of a pair of colors. */
  readonly color?: string | undefined;
}

/** Adds the brand to the page, as attributes of its root and in its title: it is displayed without another request. */
export function addBrand(html: string, brand: ConsoleBrand): string {
  const attributes = Object.entries<string | undefined>({ ...brand }).map(([key, value]) =>
    value === undefined ? '' : ` data-${key}="${escapeHtml(value)}"`,
  );
  const { name } = brand;
  const root = html.replace(/^(<!doctype html>\s*<html)/i, (found) => found + attributes.join(''));
  return name === undefined ? root : root.replace(/<title>[^<]*/, () => `<title>${escapeHtml(name)}`);
}
