import { Component, type ReactNode } from 'react';
import { Notice } from './notice.js';
import { messageOf } from '../api/errors.js';
import { text } from '../texts.js';

interface FailureState {
  readonly error: unknown;
}

/** Keeps a fault of one part from taking the whole page away. */
export class Failure extends Component<{ readonly children: ReactNode }, FailureState> {
  override state: FailureState = { error: undefined };

  static getDerivedStateFromError(error: unknown): FailureState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    // A part that is loaded later is gone as soon as another version of the service has taken its place.
    const isPart = error instanceof TypeError && /module|import/i.test(error.message);
    return (
      <Notice tone="bad" title={isPart ? text.partMissing : text.pageFailed}>
        <p>{messageOf(error)}</p>
        <button type="button" onClick={() => location.reload()}>
          {text.reload}
        </button>
      </Notice>
    );
  }
}
