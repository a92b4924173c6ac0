import { Component, Suspense, type ReactNode } from 'react';
import { Notice, Pending } from './notice.js';
import { formatMessage } from '../api/errors.js';
import { connection } from '../api/connection.js';
import { t } from '../texts.js';
import { Attempt } from './lazy-part.js';

/** Each attempt has a unique number. */
let attempts = 0;

interface FailureState {
  readonly error: unknown;
  readonly attempt: number;
}

/** Limits an error, and the wait for a load, to one part of the page. */
export class Failure extends Component<{ readonly children: ReactNode }, FailureState> {
  override state: FailureState = { error: undefined, attempt: ++attempts };
  #end: (() => void) | undefined;

  static getDerivedStateFromError(error: unknown): Partial<FailureState> {
    return { error };
  }

  override componentDidMount(): void {
    this.#end = connection.subscribe(() => {
      if (connection.get() === 'online' && isOfLoading(this.state.error)) this.#again();
    });
  }

  override componentWillUnmount(): void {
    this.#end?.();
  }

  readonly #again = (): void => this.setState({ error: undefined, attempt: ++attempts });

  override render(): ReactNode {
    const { error, attempt } = this.state;
    if (error === undefined)
      return (
        <Attempt value={attempt}>
          <Suspense fallback={<Pending error={null} />}>{this.props.children}</Suspense>
        </Attempt>
      );
    const isPart = isOfLoading(error);
    return (
      <Notice
        tone="bad"
        title={
          isPart
            ? t`A part of the page could not be loaded; the service may have been updated.`
            : t`This part of the page failed.`
        }
      >
        <p>{formatMessage(error)}</p>
        {isPart && (
          <button type="button" onClick={this.#again}>
            {t`Try again`}
          </button>
        )}{' '}
        <button type="button" onClick={() => location.reload()}>
          {t`Load the page again`}
        </button>
      </Notice>
    );
  }
}

/** Loading a part fails while the service is stopped, and when another version has replaced it. */
function isOfLoading(error: unknown): boolean {
  return error instanceof TypeError && /module|import/i.test(error.message);
}
