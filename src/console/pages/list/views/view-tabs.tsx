import { useState, type ReactNode } from 'react';
import { formatMessage } from '../../../api/errors.js';
import { useMayDo } from '../../../api/platform/rights.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { Icon } from '../../../parts/icon.js';
import { lazyPart } from '../../../parts/lazy-part.js';
import { MenuButton } from '../../../parts/choices/menu-button.js';
import { formatRoute } from '../../../routes/route.js';
import { t } from '../../../texts.js';
import { useListState } from '../list-context.js';
import { SAVED, withValues } from '../parameters.js';
import { getSavedParameters, useWriteView, VIEWS, type SavedView, type ViewDraft } from './saved-views.js';

const ViewDialog = lazyPart(() => import('./view-dialog.js'));

interface ViewTabsProps {
  readonly views: readonly SavedView[];
}

/** The saved views of the model as tabs. */
export function ViewTabs({ views }: ViewTabsProps): ReactNode {
  const { modelRef, parameters, choice, onChange } = useListState();
  const { shown: columns } = choice;
  const mayDo = useMayDo();
  const write = useWriteView(modelRef);
  /** The subject of the dialog. */
  const [asked, setAsked] = useState<{ readonly view: SavedView | undefined }>();
  const current = views.find(({ name }) => name === parameters.get(SAVED));
  const now = getSavedParameters(parameters);
  const isAll = now === '' && current === undefined;
  const mayCreate = mayDo('create', VIEWS);
  if (views.length === 0 && (isAll || !mayCreate)) return null;
  const getTab = (view: SavedView | undefined, isCurrent: boolean): ReactNode => {
    const list = withValues(new URLSearchParams(view?.parameters), { [SAVED]: view?.name });
    return (
      <a
        key={view?.name ?? ''}
        href={formatRoute({ page: 'list', model: modelRef, parameters: list })}
        aria-current={isCurrent ? 'page' : undefined}
        title={view?.owner}
      >
        {view?.title ?? t`All`}
      </a>
    );
  };
  // A view without columns has those that each user chose.
  const hasOtherColumns = current?.columns !== undefined && columns?.join() !== current.columns.join();
  const isChanged =
    current !== undefined &&
    (now !== getSavedParameters(new URLSearchParams(current.parameters)) || hasOtherColumns);
  const change = (draft: ViewDraft | undefined): void =>
    write.mutate(
      { name: current?.name ?? '', ...(draft && { draft }) },
      { onError: (error) => say(formatMessage(error)) },
    );
  const close = (): void => {
    write.reset();
    setAsked(undefined);
  };
  const save = async (draft: ViewDraft): Promise<void> => {
    if (asked?.view !== undefined) await write.mutateAsync({ name: asked.view.name, draft });
    else {
      const ofList = { parameters: now, ...(columns && { columns }) };
      const name = await write.mutateAsync({ draft: { ...draft, ...ofList } });
      onChange(withValues(parameters, { [SAVED]: name }));
    }
    setAsked(undefined);
  };
  const remove = (): void => {
    change(undefined);
    onChange(withValues(parameters, { [SAVED]: undefined }));
  };
  return (
    <nav className="tabs view-tabs" aria-label={t`Saved views`}>
      {getTab(undefined, isAll)}
      {views.map((view) => getTab(view, view === current))}
      {current !== undefined && mayDo('patch', VIEWS, current.name) && (
        <MenuButton
          className="quiet sign"
          aria-label={t`Options of ${current.title}`}
          entries={[
            [t`Rename`, () => setAsked({ view: current })],
            [
              current.isShared ? t`Do not share` : t`Share with everybody`,
              () => change({ isShared: !current.isShared }),
            ],
            [t`Delete view`, remove],
          ]}
        >
          <Icon name="more" />
        </MenuButton>
      )}
      {isChanged && (
        <button
          type="button"
          className="quiet"
          onClick={() => change({ parameters: now, ...(hasOtherColumns && { columns }) })}
        >
          {t`Update view`}
        </button>
      )}
      {mayCreate && (!isAll || columns !== undefined) && (current === undefined || isChanged) && (
        <button type="button" className="quiet" onClick={() => setAsked({ view: undefined })}>
          {t`+ Save view`}
        </button>
      )}
      {asked !== undefined && (
        <ViewDialog
          view={asked.view}
          isBusy={write.isPending}
          error={write.error}
          onSave={(draft) => void save(draft).catch(() => undefined)}
          onClose={close}
        />
      )}
    </nav>
  );
}
