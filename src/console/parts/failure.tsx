import { Component, type ReactNode } from 'react';
import { Notice } from './notice.js';
import { formatMessage } from '../api/errors.js';
import { connection } from '../api/connection.js';
import { text } from '../texts.js';
import { Attempt } from './lazy-part.js';

/** No two attempts have the same number. */
let attempts = 0;

interface FailureState {
  readonly error: unknown;
  readonly attempt: number;
}

/** Keeps a fault of one part from taking the whole page away. */
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

/** A part that is loaded later is gone while the service is away, and when another version of the service has taken its place. */
function isOfLoading(error: unknown): boolean {
  return error instanceof TypeError && /module|import/i.test(error.message);
}
