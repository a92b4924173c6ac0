/**
 * `/plugins/bridge.js`, which a page of a plugin loads. It defines `xsvc`: requests with the rights of the user, navigation, and
 * the look of the console. The console sends the requests, so the page never has a token.
 */
import {
  MARK,
  posted,
  type PageAnswer,
  type PageState,
  type ShownObject,
  type ToConsole,
} from './messages.js';

/** The smallest interval between two messages about the height, in milliseconds. */
const HEIGHT_MS = 100;

interface Waiting {
  readonly resolve: (answer: PageAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** The object `xsvc` of a page. It dispatches `change` when the theme or the language has changed. */
class Bridge extends EventTarget {
  /** Resolves when the console has answered for the first time; never outside of the console. */
  readonly ready: Promise<void>;
  theme: 'light' | 'dark' = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  language = navigator.language;
  /** The object whose tab shows the page; undefined on other pages. */
  object: ShownObject | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #begin: () => void = () => undefined;

  constructor() {
    super();
    this.ready = new Promise((resolve) => (this.#begin = resolve));
    window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
      if (source === window.parent && source !== window && isPosted(data)) this.#receive(data.message);
    });
    post({ kind: 'hello' });
    this.#followHeight();
  }

  /**
   * Sends a request to the service with the rights of the user. Like `fetch`, it resolves for each answer, also for a refusal.
   * @param path such as `/apis/demo.example.com/v1alpha1/persons`
   * @throws TypeError when the console does not send it, or the service does not answer
   */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    await this.ready;
    const { method = 'GET', body } = init;
    const headers = Object.fromEntries(new Headers(init.headers));
    const text = body === undefined || body === null ? '' : toText(body);
    const id = ++this.#lastId;
    const { status, ...answer } = await new Promise<PageAnswer>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      post({ kind: 'fetch', id, path, method: method.toUpperCase(), headers, body: text });
    });
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : answer.body, { status, headers: answer.headers });
  }

  /** Shows another page of the console, after the user has pressed a key or a button. @param route such as `#/models` */
  navigate(route: string): void {
    post({ kind: 'navigate', route });
  }

  /** Replaces the title of the page in the console. */
  setTitle(title: string): void {
    post({ kind: 'title', title });
  }

  #receive(message: Readonly<Record<string, unknown>>): void {
    const { kind, id } = message;
    if (kind === 'state') this.#take(message as unknown as PageState);
    if (typeof id !== 'number') return;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (kind === 'answer') waiting?.resolve(message as unknown as PageAnswer);
    if (kind === 'failure') waiting?.reject(new TypeError(String(message.message)));
  }

  #take({ theme, language, object }: PageState): void {
    Object.assign(this, { theme, language, object });
    const { documentElement: root } = document;
    root.dataset.theme = theme;
    root.style.colorScheme = theme;
    root.lang = language;
    this.#begin();
    this.dispatchEvent(new Event('change'));
  }

  /** A card and a tab get the height of their content. */
  #followHeight(): void {
    let last = 0;
    let timer: number | undefined;
    const report = (): void => {
      timer = undefined;
      const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
      if (height !== last) post({ kind: 'height', height });
      last = height;
    };
    new ResizeObserver(() => (timer ??= window.setTimeout(report, HEIGHT_MS))).observe(
      document.documentElement,
    );
  }
}

function toText(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('the body of xsvc.fetch must be a text, such as JSON.stringify(object)');
}

function post(message: ToConsole): void {
  window.parent.postMessage(posted(message), '*');
}

function isPosted(data: unknown): data is { readonly message: Readonly<Record<string, unknown>> } {
  if (typeof data !== 'object' || data === null || !('mark' in data) || data.mark !== MARK) return false;
  return 'message' in data && typeof data.message === 'object' && data.message !== null;
}

Reflect.set(window, 'xsvc', new Bridge());
