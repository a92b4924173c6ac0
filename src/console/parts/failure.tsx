import { Component, type ReactNode } from 'react';
import { Notice } from './notice.js';
import { formatMessage } from '../api/errors.js';
import { connection } from '../api/connection.js';
import { text } from '../texts.js';
import { Attempt } from './lazy-part.js';

/** Each attempt has a unique number. */
let attempts = 0;

interface FailureState {
  readonly error: unknown;
  readonly attempt: number;
}

/** Limits an error to one part of the page. */
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
    if (error === undefined) return <Attempt value={attempt}>{this.props.children}</Attempt>;
    const isPart = isOfLoading(error);
    return (
      <Notice tone="bad" title={isPart ? text.partMissing : text.pageFailed}>
        <p>{formatMessage(error)}</p>
        {isPart && (
          <button type="button" onClick={this.#again}>
            {text.retry}
          </button>
        )}{' '}
        <button type="button" onClick={() => location.reload()}>
          {text.reload}
        </button>
      </Notice>
    );
  }
}

/** Loading a part fails while the service is stopped, and when another version has replaced it. */
function isOfLoading(error: unknown): boolean {
  return error instanceof TypeError && /module|import/i.test(error.message);
}
