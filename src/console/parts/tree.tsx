import type { ReactNode } from 'react';
import { formatCount } from '../lib/format.js';
import { isObject } from '../lib/json.js';
import { t } from '../texts.js';
import { Folded, LongText } from './long-text.js';

/** The limit of a list that is not collapsed. */
const ITEMS_MAX = 50;

/** A value of an object as a tree of names and values. */
export function Tree({ value }: { readonly value: unknown }): ReactNode {
  if (isObject(value)) return <Members entries={Object.entries(value)} />;
  if (Array.isArray(value)) return <Items items={value} />;
  return <Scalar value={value} />;
}

function Members({ entries }: { readonly entries: readonly (readonly [string, unknown])[] }): ReactNode {
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
              <Tree value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </Shortened>
  );
}

function Items({ items }: { readonly items: readonly unknown[] }): ReactNode {
  if (items.length === 0) return <span className="faint">[]</span>;
  return (
    <Shortened count={items.length}>
      <ul className="tree">
        {items.map((item, i) => (
          <li key={i}>
            <Tree value={item} />
          </li>
        ))}
      </ul>
    </Shortened>
  );
}

function Scalar({ value }: { readonly value: unknown }): ReactNode {
  if (typeof value !== 'string') return <code>{String(value)}</code>;
  return <LongText value={value} />;
}

function Shortened({ count, children }: { readonly count: number; readonly children: ReactNode }): ReactNode {
  if (count <= ITEMS_MAX) return children;
  return <Folded summary={`${t`Show all`} (${formatCount(count)})`}>{children}</Folded>;
}
