import { useEffect, useRef, type ReactNode } from 'react';
import type { ModelRef } from '../../api/models.js';
import { Failure } from '../../parts/failure.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { MAIN_VIEW, VIEWS, type View } from '../../routes/route.js';
import { OPEN_VIEW, withOpen } from './parameters.js';
import { getRowId } from './table/list-row.js';

const RecordDrawer = lazyPart(() => import('../object/record-drawer.js'));

interface RecordOverListProps {
  readonly modelRef: ModelRef;
  readonly name: string;
  readonly parameters: URLSearchParams;
  /** Of the rows of the page. */
  readonly names: readonly string[];
  readonly getRoute: (parameters: URLSearchParams) => string;
}

/** The object that is open over the list. When it is closed, its row gets the focus. */
export function RecordOverList({
  modelRef,
  name,
  parameters,
  names,
  getRoute,
}: RecordOverListProps): ReactNode {
  const at = names.indexOf(name);
  const view: View = VIEWS.find((one) => one === parameters.get(OPEN_VIEW)) ?? MAIN_VIEW;
  const last = useRef(name);
  useEffect(() => {
    last.current = name;
  }, [name]);
  useEffect(
    () => () => {
      const isLost =
        document.activeElement === null ||
        document.activeElement === document.body ||
        document.activeElement.closest('.record-drawer') !== null;
      if (isLost) document.getElementById(getRowId(last.current))?.focus();
    },
    [],
  );
  const hrefOf = (other: string | undefined): string | undefined =>
    other === undefined ? undefined : getRoute(withOpen(parameters, other, view));
  return (
    <Failure key={name}>
      <RecordDrawer
        modelRef={modelRef}
        name={name}
        view={view}
        getHref={(one) => getRoute(withOpen(parameters, name, one))}
        previous={hrefOf(at === -1 ? undefined : names[at - 1])}
        next={hrefOf(at === -1 ? undefined : names[at + 1])}
        closed={getRoute(withOpen(parameters, undefined))}
      />
    </Failure>
  );
}
