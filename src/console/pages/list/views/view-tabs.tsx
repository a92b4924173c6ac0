import { useState, type ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import type { ModelRef } from '../../../api/models.js';
import { useMayDo } from '../../../api/platform/rights.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { Icon } from '../../../parts/icon.js';
import { lazyPart } from '../../../parts/lazy-part.js';
import { formatRoute } from '../../../routes/route.js';
import { t } from '../../../texts.js';
import { formatMessage } from '../../../api/errors.js';
import { SAVED } from '../parameters.js';
import {
  getSavedParameters,
  getViewParameters,
  useWriteView,
  VIEWS,
  type SavedView,
  type ViewDraft,
} from './saved-views.js';

const ViewDialog = lazyPart(() => import('./view-dialog.js'));

interface ViewTabsProps {
  readonly modelRef: ModelRef;
  readonly views: readonly SavedView[];
  readonly parameters: URLSearchParams;
  /** The ids of the displayed columns; undefined for the usual ones. */
  readonly columns: readonly string[] | undefined;
  readonly onChange: (parameters: URLSearchParams) => void;
}

/** The subject of the dialog. */
type Asked = { readonly view: SavedView | undefined } | undefined;

/** The saved views of the model as tabs. */
export function ViewTabs(props: ViewTabsProps): ReactNode {
  const { modelRef, views, parameters, columns, onChange } = props;
  const mayDo = useMayDo();
  const write = useWriteView(modelRef);
  const [asked, setAsked] = useState<Asked>();
  const current = views.find(({ name }) => name === parameters.get(SAVED));
  const now = getSavedParameters(parameters);
  const isAll = now === '' && current === undefined;
  const mayCreate = mayDo('create', VIEWS);
  if (views.length === 0 && (isAll || !mayCreate)) return null;
  const hrefOf = (list: URLSearchParams): string =>
    formatRoute({ page: 'list', model: modelRef, parameters: list });
  // A view without columns has those that each user chose.
  const hasOtherColumns = current?.columns !== undefined && columns?.join() !== current.columns.join();
  const isChanged =
    current !== undefined &&
    (now !== getSavedParameters(new URLSearchParams(current.parameters)) || hasOtherColumns);
  const update = (draft: Partial<ViewDraft>): void =>
    write.mutate({ name: current?.name ?? '', draft }, { onError: (error) => say(formatMessage(error)) });
  const save = async (draft: Pick<ViewDraft, 'title' | 'isShared'>): Promise<void> => {
    if (asked?.view !== undefined) {
      await write.mutateAsync({ name: asked.view.name, draft });
    } else {
      const name = await write.mutateAsync({
        draft: { ...draft, parameters: now, ...(columns && { columns }) },
      });
      const changed = new URLSearchParams(parameters);
      changed.set(SAVED, name);
      onChange(changed);
    }
    setAsked(undefined);
  };
  const remove = (): void => {
    if (current === undefined) return;
    write.mutate({ name: current.name }, { onError: (error) => say(formatMessage(error)) });
    const rest = new URLSearchParams(parameters);
    rest.delete(SAVED);
    onChange(rest);
  };
  return (
    <nav className="view-tabs" aria-label={t`Saved views`}>
      <a href={hrefOf(new URLSearchParams())} aria-current={isAll ? 'page' : undefined}>
        {t`All`}
      </a>
      {views.map((view) => (
        <a
          key={view.name}
          href={hrefOf(getViewParameters(view))}
          aria-current={view === current ? 'page' : undefined}
          title={view.owner}
        >
          {view.title}
        </a>
      ))}
      {current !== undefined && mayDo('patch', VIEWS, current.name) && (
        <ViewMenu
          title={current.title}
          isShared={current.isShared}
          onRename={() => setAsked({ view: current })}
          onShare={() => update({ isShared: !current.isShared })}
          onDelete={remove}
        />
      )}
      {isChanged && (
        <button
          type="button"
          className="quiet"
          onClick={() => update({ parameters: now, ...(hasOtherColumns && { columns }) })}
        >
          {t`Update view`}
        </button>
      )}
      {mayCreate && (!isAll || columns !== undefined) && (current === undefined || isChanged) && (
        <button type="button" className="quiet view-tabs-save" onClick={() => setAsked({ view: undefined })}>
          {t`+ Save view`}
        </button>
      )}
      {asked !== undefined && (
        <ViewDialog
          view={asked.view}
          isBusy={write.isPending}
          error={write.error}
          onSave={(draft) => void save(draft).catch(() => undefined)}
          onClose={() => {
            write.reset();
            setAsked(undefined);
          }}
        />
      )}
    </nav>
  );
}

interface ViewMenuProps {
  readonly title: string;
  readonly isShared: boolean;
  readonly onRename: () => void;
  readonly onShare: () => void;
  readonly onDelete: () => void;
}

function ViewMenu({ title, isShared, onRename, onShare, onDelete }: ViewMenuProps): ReactNode {
  return (
    <MenuTrigger>
      <Button className="quiet sign" aria-label={t`Options of ${title}`}>
        <Icon name="more" />
      </Button>
      <Popover className="popover">
        <Menu className="menu">
          <MenuItem onAction={onRename}>{t`Rename`}</MenuItem>
          <MenuItem onAction={onShare}>{isShared ? t`Do not share` : t`Share with everybody`}</MenuItem>
          <MenuItem onAction={onDelete}>{t`Delete view`}</MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
