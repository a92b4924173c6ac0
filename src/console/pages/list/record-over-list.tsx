import { useEffect, useRef, type ReactNode } from 'react';
import { Failure } from '../../parts/failure.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { formatRoute, MAIN_VIEW, VIEWS, type View } from '../../routes/route.js';
import { useListState } from './list-context.js';
import { OPEN_VIEW, withOpen } from './parameters.js';
import { getRowId } from './table/list-row.js';

const RecordDrawer = lazyPart(() => import('../object/record-drawer.js'));

interface RecordOverListProps {
  readonly name: string;
  /** Of the rows of the page. */
  readonly names: readonly string[];
}

/** The object that is open over the list. When it is closed, its row gets the focus. */
export function RecordOverList({ name, names }: RecordOverListProps): ReactNode {
  const { modelRef, parameters } = useListState();
  const at = names.indexOf(name);
  const view = VIEWS.find((one) => one === parameters.get(OPEN_VIEW)) ?? MAIN_VIEW;
  const last = useRef(name);
  useEffect(() => {
    last.current = name;
  }, [name]);
  useEffect(
    () => () => {
      const { activeElement: focused, body } = document;
      const isLost = focused === null || focused === body || focused.closest('.record-drawer') !== null;
      if (isLost) document.getElementById(getRowId(last.current))?.focus();
    },
    [],
  );
  const hrefOf = (other: string | undefined, ofView?: View): string =>
    formatRoute({ page: 'list', model: modelRef, parameters: withOpen(parameters, other, ofView) });
  const [previous, next] = at === -1 ? [] : [names[at - 1], names[at + 1]];
  return (
    <Failure key={name}>
      <RecordDrawer
        modelRef={modelRef}
        name={name}
        view={view}
        getHref={(one) => hrefOf(name, one)}
        previous={previous && hrefOf(previous, view)}
        next={next && hrefOf(next, view)}
        closed={hrefOf(undefined)}
      />
    </Failure>
  );
}
