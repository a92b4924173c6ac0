import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { formatExcerpt } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { didYouMean, suggest } from '../../lib/suggest.js';
import { isDnsLabel, isGroup } from '../../model/names-and-labels.js';
import type { UnknownRecord } from '../records.js';
import type { ManifestFaults, ManifestPath } from './faults.js';
import { PAGE_ICONS } from './page-icons.js';

/** The subdirectory of a plugin that browsers may read. */
export const PUBLIC_DIRECTORY = 'public';

export const PAGE_PLACEMENTS = ['sidebar', 'tab', 'card'] as const;
/** The place of a page: a link in the navigation, a tab of the objects of a model, or a card of the overview. */
export type PagePlacement = (typeof PAGE_PLACEMENTS)[number];

export interface ConsolePage {
  readonly title: string;
  /** The name of an icon of the console. */
  readonly icon?: string;
  /** An HTML file, relative to `public/`. */
  readonly path: string;
  readonly placement: PagePlacement;
  /** With the placement `tab`: the model of the objects, as `<plural>.<group>`. */
  readonly model?: string;
}

/** The parts of the console that a plugin adds. */
export interface PluginConsole {
  readonly pages: readonly ConsolePage[];
}

/** The limits of the pages of one plugin. */
export const PAGES_MAX = 20;
export const PAGE_TITLE_LENGTH_MAX = 60;
export const PAGE_PATH_LENGTH_MAX = 200;

const FIELD = ['spec', 'console'] as const;
const PAGES_FIELD = [...FIELD, 'pages'] as const;
const MEMBERS = ['title', 'icon', 'path', 'placement', 'model'] as const;
/** No segment begins with a dot: such files are not served. */
const PATH = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.html$/;

/**
 * The pages of a manifest; undefined without any.
 * @param directory of the plugin, whose files are checked; undefined for a manifest without files
 */
export function checkConsole(
  { console: given }: UnknownRecord,
  faults: ManifestFaults,
  directory: string | undefined,
): PluginConsole | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isRecord(given)) {
    faults.add(FIELD, 'must be a mapping with pages');
    return undefined;
  }
  expectKnown(given, ['pages'], FIELD, faults);
  const { pages } = given;
  if (!Array.isArray(pages)) {
    faults.add(
      PAGES_FIELD,
      pages === undefined ? 'is required' : `must be a list of {${MEMBERS.join(', ')}}`,
    );
    return undefined;
  }
  faults.expect(
    pages.length <= PAGES_MAX,
    PAGES_FIELD,
    `has ${pages.length} pages; at most ${PAGES_MAX} are allowed`,
  );
  const checked = pages
    .slice(0, PAGES_MAX)
    .map((page: unknown, i) => checkPage(page, [...PAGES_FIELD, i], faults));
  const first = new Map<string, number>();
  for (const [i, { path: file, placement, model = '' }] of checked.entries()) {
    const key = JSON.stringify([file, placement, model]);
    const known = first.get(key);
    if (known === undefined) first.set(key, i);
    else if (file !== '') faults.add([...PAGES_FIELD, i], `is the same as page ${known}`);
    const fault = file === '' || directory === undefined ? undefined : findFileFault(directory, file);
    if (fault !== undefined) faults.add([...PAGES_FIELD, i, 'path'], fault);
  }
  return { pages: checked };
}

function checkPage(page: unknown, field: ManifestPath, faults: ManifestFaults): ConsolePage {
  if (!isRecord(page)) {
    faults.add(field, `must be a mapping with ${MEMBERS.join(', ')}`);
    return { title: '', path: '', placement: 'sidebar' };
  }
  expectKnown(page, MEMBERS, field, faults);
  const title = faults.text(page, [...field, 'title'], 'required') ?? '';
  faults.expect(
    title.length <= PAGE_TITLE_LENGTH_MAX,
    [...field, 'title'],
    `must have at most ${PAGE_TITLE_LENGTH_MAX} characters`,
  );
  const placement = checkPlacement(page, field, faults);
  const icon = checkIcon(page, field, faults);
  const model = checkModel(page, placement, field, faults);
  return {
    title,
    ...(icon !== undefined && { icon }),
    path: checkPath(page, [...field, 'path'], faults),
    placement,
    ...(model !== undefined && { model }),
  };
}

function checkPath(page: UnknownRecord, field: ManifestPath, faults: ManifestFaults): string {
  const given = faults.text(page, field, 'required');
  if (given === undefined) return '';
  if (given.length <= PAGE_PATH_LENGTH_MAX && PATH.test(given)) return given;
  const shown = formatExcerpt(given);
  faults.add(
    field,
    `"${shown}" must name an .html file below ${PUBLIC_DIRECTORY}/, such as report/index.html`,
  );
  return '';
}

function checkPlacement(page: UnknownRecord, field: ManifestPath, faults: ManifestFaults): PagePlacement {
  const given = faults.text(page, [...field, 'placement'], 'required');
  const known = PAGE_PLACEMENTS.find((one) => one === given);
  if (known === undefined && given !== undefined)
    faults.add([...field, 'placement'], unknownValue(given, 'a placement', PAGE_PLACEMENTS));
  return known ?? 'sidebar';
}

function checkIcon(page: UnknownRecord, field: ManifestPath, faults: ManifestFaults): string | undefined {
  const icon = faults.text(page, [...field, 'icon']);
  if (icon !== undefined && !PAGE_ICONS.includes(icon))
    faults.add([...field, 'icon'], unknownValue(icon, 'an icon', PAGE_ICONS));
  return icon;
}

function checkModel(
  page: UnknownRecord,
  placement: PagePlacement,
  field: ManifestPath,
  faults: ManifestFaults,
): string | undefined {
  const isTab = placement === 'tab';
  const model = faults.text(page, [...field, 'model'], isTab ? 'required' : undefined);
  if (model === undefined) return undefined;
  const [plural = '', ...group] = model.split('.');
  const isName = isDnsLabel(plural) && isGroup(group.join('.'));
  faults.expect(isName, [...field, 'model'], 'must be <plural>.<group>, such as persons.demo.example.com');
  faults.expect(isTab, [...field, 'model'], 'is only for the placement tab');
  return model;
}

function expectKnown(
  record: UnknownRecord,
  known: readonly string[],
  field: ManifestPath,
  faults: ManifestFaults,
): void {
  for (const key of Object.keys(record))
    faults.expect(known.includes(key), [...field, key], `is unknown; known: ${known.join(', ')}`);
}

function unknownValue(given: string, what: string, known: readonly string[]): string {
  return `"${formatExcerpt(given)}" is not ${what}${didYouMean(suggest(given, new Set(known)))}; known: ${known.join(', ')}`;
}

/** The reason why a file cannot be served; undefined when it can. */
function findFileFault(directory: string, file: string): string | undefined {
  const missing = `there is no file ${PUBLIC_DIRECTORY}/${file}`;
  try {
    const root = realpathSync(path.join(directory, PUBLIC_DIRECTORY));
    const found = realpathSync(path.join(root, file));
    if (!found.startsWith(root + path.sep)) return `leads out of ${PUBLIC_DIRECTORY}/ by a link`;
    return statSync(found).isFile() ? undefined : missing;
  } catch {
    return missing;
  }
}
