import { credentialsFor } from '../../../api/http.js';
import { useEffect, useState, type RefObject } from 'react';
import {
  posted,
  type FetchMessage,
  type PageState,
  type ToConsole,
  type ToPage,
} from '../../../bridge/messages.js';
import { formatMessage } from '../../../api/errors.js';
import { language } from '../../../language.js';
import { useLatest } from '../../../lib/use-latest.js';
import { navigate } from '../../../routes/use-route.js';
import { session } from '../../../session/session.js';
import { MessageBudget } from './message-budget.js';
import { PageRequests, type SendForPage } from './page-requests.js';
import { readMessage } from './read-message.js';

/** Pages of the sandbox have no origin. */
const SANDBOX_ORIGIN = 'null';

interface BridgeOptions {
  readonly frame: RefObject<HTMLIFrameElement | null>;
  readonly state: PageState;
  readonly onTitle: (title: string) => void;
  readonly onHeight: (height: number) => void;
}

/**
 * Answers the messages of the page in a frame.
 * @returns true when the page has sent too many messages: then it must be removed
 */
export function useBridge(options: BridgeOptions): boolean {
  const [isFlooding, setIsFlooding] = useState(false);
  const receiveNow = useLatest((message: ToConsole, requests: PageRequests) =>
    receive(message, options, requests),
  );
  useEffect(() => {
    const budget = new MessageBudget();
    const requests = new PageRequests(sendForPage);
    const onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
      const frame = options.frame.current;
      if (source === null || source !== frame?.contentWindow || origin !== SANDBOX_ORIGIN) return;
      if (!budget.take()) {
        setIsFlooding(true);
        return;
      }
      const message = readMessage(data);
      if (message !== undefined) receiveNow(message, requests);
    };
    window.addEventListener('message', onMessage);
    return () => {
      window.removeEventListener('message', onMessage);
      requests.close();
    };
  }, []);
  const { state } = options;
  useEffect(() => post(options, { kind: 'state', ...state }), [state.theme, state.language]);
  return isFlooding;
}

/** Sends a request of a page with the token of the session. A refused token is an answer for the page: it signs nobody out. */
const sendForPage: SendForPage = (url, init) => {
  const { token, isAsked } = session.get();
  if (isAsked) return Promise.reject(new Error('nobody is signed in'));
  const headers = new Headers(init.headers);
  headers.set('Accept-Language', language.get());
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  return fetch(url, { ...init, headers, credentials: credentialsFor(token) });
};

function receive(message: ToConsole, options: BridgeOptions, requests: PageRequests): void {
  switch (message.kind) {
    case 'hello':
      post(options, { kind: 'state', ...options.state });
      break;
    case 'fetch':
      void answer(message, options, requests);
      break;
    case 'navigate':
      if (isUsed(options)) navigate(message.route);
      break;
    case 'title':
      options.onTitle(message.title);
      break;
    case 'height':
      options.onHeight(message.height);
      break;
  }
}

/** True after a press in the frame. Otherwise a page could make other pages of the console unreachable. */
function isUsed({ frame }: BridgeOptions): boolean {
  return navigator.userActivation.isActive && document.activeElement === frame.current;
}

async function answer(message: FetchMessage, options: BridgeOptions, requests: PageRequests): Promise<void> {
  const { id } = message;
  try {
    post(options, { kind: 'answer', id, ...(await requests.fetch(message)) });
  } catch (error) {
    post(options, { kind: 'failure', id, message: formatMessage(error) });
  }
}

/** The page has no origin that could be named. No other page can be in the frame: the policy of the console allows only its own. */
function post({ frame }: BridgeOptions, message: ToPage): void {
  frame.current?.contentWindow?.postMessage(posted(message), '*');
}
