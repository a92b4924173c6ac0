import { useId, type ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  /** The page about all of it. */
  readonly href?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with its own heading. */
export function Section({ title, href, actions, children }: SectionProps): ReactNode {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <div className="row spread section-head">
        <h2 id={id}>{href === undefined ? title : <a href={href}>{title}</a>}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
