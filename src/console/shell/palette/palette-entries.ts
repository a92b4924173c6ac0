import { useMe } from '../../api/platform/me.js';
import { signOut, session } from '../../session/session.js';
import { getPath, qualifiedPlural, storedModels, useModels, type Model } from '../../api/models.js';
import { useMayDo } from '../../api/platform/rights.js';
import { useStore } from '../../lib/store.js';
import { getModelTitle } from '../../lib/naming.js';
import { isMeant } from '../../parts/models/model-groups.js';
import { formatCreateRoute, getList, getObject } from '../../routes/route.js';
import { navigate, useRoute } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { useFoundObjects } from './find-objects.js';
import { isKeyHelpOpen } from '../keys.js';
import { useMayPages } from '../pages.js';

export interface Entry {
  readonly id: string;
  readonly name: string;
  /** Distinguishes it from others of the same name. */
  readonly of?: string | undefined;
  readonly run: () => void;
}

interface EntrySection {
  readonly name: string;
  readonly entries: readonly Entry[];
}

interface Entries {
  readonly sections: readonly EntrySection[];
  /** True when more entries may follow. */
  readonly isSearching: boolean;
}

/** The limit of entries: more than people read, and few enough to render. */
const SHOWN = 12;

/** The entries that match the typed text. */
export function useEntries(typed: string): Entries {
  const all = storedModels(useModels().data ?? []);
  const mayDo = useMayDo();
  const models = all.filter((model) => mayDo('list', model));
  const pages = usePageEntries();
  const actions = useActions(all.filter((model) => mayDo('create', model)));
  const objects = useFoundObjects(typed, models);
  const sections = [
    { name: t`Pages`, entries: pages.filter((entry) => hasTyped(entry, typed)) },
    { name: t`Models`, entries: models.filter((model) => isMeant(model, typed)).map(entryOfModel) },
    {
      name: t`Objects`,
      entries: objects.found.map(({ model, name, title }) => ({
        id: `object ${getPath(model)}/${name}`,
        name: title ?? name,
        of: title === undefined ? getModelTitle(model) : `${name} · ${getModelTitle(model)}`,
        run: () => navigate(getObject(model, name)),
      })),
    },
    { name: t`Actions`, entries: actions.filter((entry) => hasTyped(entry, typed)) },
  ];
  return {
    sections: sections
      .map(({ name, entries }) => ({ name, entries: entries.slice(0, SHOWN) }))
      .filter(({ entries }) => entries.length > 0),
    isSearching: objects.isSearching,
  };
}

function entryOfModel(model: Model): Entry {
  return {
    id: `model ${getPath(model)}`,
    name: getModelTitle(model),
    of: qualifiedPlural(model),
    run: () => navigate(getList(model)),
  };
}

function usePageEntries(): readonly Entry[] {
  return useMayPages().map(({ path, title }) => ({
    id: `page ${path}`,
    name: title(),
    run: () => navigate({ page: 'plain', path }),
  }));
}

/** The available actions: those of the current model first. */
function useActions(creatable: readonly Model[]): readonly Entry[] {
  const { token } = useStore(session);
  const me = useMe();
  const route = useRoute();
  const current = 'model' in route ? getPath(route.model) : '';
  const [here, others] = [
    creatable.filter((model) => getPath(model) === current),
    creatable.filter((model) => getPath(model) !== current),
  ];
  const creating = [...here, ...others].map((model) => ({
    id: `create ${getPath(model)}`,
    name: t`Create ${model.kind}`,
    of: model.group,
    run: () => navigate(formatCreateRoute(model)),
  }));
  const keys = { id: 'keys', name: t`Show all keys`, run: () => isKeyHelpOpen.set(true) };
  const leaving = { id: 'sign out', name: t`Sign out`, run: signOut };
  return [...(token === undefined && me === undefined ? [] : [leaving]), keys, ...creating];
}

/** True when it contains each typed word. */
function hasTyped({ name, of = '' }: Entry, typed: string): boolean {
  const all = `${name} ${of}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
