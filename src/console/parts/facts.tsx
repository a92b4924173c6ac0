import { Fragment, type ReactNode } from 'react';

type Fact = readonly [name: string, value: ReactNode];

/** Names and their values. Undefined values are left out. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
