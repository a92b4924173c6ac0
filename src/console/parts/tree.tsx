import type { ReactNode } from 'react';
import type { ReferenceTargets } from '../api/reference-targets.js';
import { formatCount } from '../lib/format.js';
import { isObject } from '../lib/json.js';
import { t } from '../texts.js';
import { LinkedText } from './linked-text.js';
import { Folded, LongText } from './long-text.js';

/** The limit of a list that is not collapsed. */
const ITEMS_MAX = 50;

interface TreePlace {
  /** The dotted path, without steps for the items of arrays; empty for the whole object. */
  readonly path: string;
  /** The models that fields refer to. */
  readonly targets: ReferenceTargets;
}

/** A value of an object as a tree of names and values. Names of other objects, URLs and e-mail addresses are links. */
export function Tree({ value, ...place }: TreePlace & { readonly value: unknown }): ReactNode {
  if (isObject(value)) return <Members entries={Object.entries(value)} {...place} />;
  if (Array.isArray(value)) return <Items items={value} {...place} />;
  if (typeof value !== 'string') return <code>{String(value)}</code>;
  return <LinkedText value={value} target={place.targets.get(place.path)} />;
}

interface MembersProps extends TreePlace {
  readonly entries: readonly (readonly [string, unknown])[];
}

function Members({ entries, path, targets }: MembersProps): ReactNode {
  if (entries.length === 0) return <span className="faint">{'{}'}</span>;
  return (
    <Shortened count={entries.length}>
      <dl className="tree">
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>
              <LongText value={name} />
            </dt>
            <dd>
              <Tree value={value} path={path === '' ? name : `${path}.${name}`} targets={targets} />
            </dd>
          </div>
        ))}
      </dl>
    </Shortened>
  );
}

function Items({ items, ...place }: TreePlace & { readonly items: readonly unknown[] }): ReactNode {
  if (items.length === 0) return <span className="faint">[]</span>;
  return (
    <Shortened count={items.length}>
      <ul className="tree">
        {items.map((item, i) => (
          <li key={i}>
            <Tree value={item} {...place} />
          </li>
        ))}
      </ul>
    </Shortened>
  );
}

function Shortened({ count, children }: { readonly count: number; readonly children: ReactNode }): ReactNode {
  if (count <= ITEMS_MAX) return children;
  return <Folded summary={`${t`Show all`} (${formatCount(count)})`}>{children}</Folded>;
}
