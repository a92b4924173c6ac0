/** The messages between the console and a page of a plugin in a frame. Both sides ignore all others. */
export const MARK = 'xsvc-page';

/** A request that the console sends for the page. */
export interface FetchMessage {
  readonly kind: 'fetch';
  /** Of the page, for the answer. */
  readonly id: number;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty: none. */
  readonly body: string;
}

/** From a page. */
export type ToConsole =
  /** The page listens, and asks for its state. */
  | { readonly kind: 'hello' }
  | FetchMessage
  | { readonly kind: 'navigate'; readonly route: string }
  | { readonly kind: 'title'; readonly title: string }
  /** In pixels. */
  | { readonly kind: 'height'; readonly height: number };

/** The object whose tab shows a page. */
export interface ShownObject {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly name: string;
}

export interface PageState {
  readonly theme: 'light' | 'dark';
  /** BCP 47. */
  readonly language: string;
  readonly object?: ShownObject;
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** To a page. */
export type ToPage =
  | ({ readonly kind: 'state' } & PageState)
  | ({ readonly kind: 'answer'; readonly id: number } & PageAnswer)
  /** The request was not sent, or has no answer. */
  | { readonly kind: 'failure'; readonly id: number; readonly message: string };

interface Posted<M> {
  readonly mark: typeof MARK;
  readonly message: M;
}

export function posted<M>(message: M): Posted<M> {
  return { mark: MARK, message };
}
