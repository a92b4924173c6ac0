import { useEffect, useRef, useState, type RefObject } from 'react';
import {
  posted,
  type FetchMessage,
  type PageState,
  type ToConsole,
  type ToPage,
} from '../../../bridge/messages.js';
import { formatMessage } from '../../../api/errors.js';
import { navigate } from '../../../routes/use-route.js';
import { MessageBudget } from './message-budget.js';
import { PageRequests } from './page-requests.js';
import { readMessage } from './read-message.js';
import { sendForPage } from './send-for-page.js';

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
  const latest = useRef(options);
  const [isFlooding, setIsFlooding] = useState(false);
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    const budget = new MessageBudget();
    const requests = new PageRequests(sendForPage);
    const onMessage = (event: MessageEvent<unknown>): void => {
      const { frame } = latest.current;
      if (event.source === null || event.source !== frame.current?.contentWindow) return;
      if (event.origin !== SANDBOX_ORIGIN) return;
      if (!budget.take()) {
        setIsFlooding(true);
        return;
      }
      const message = readMessage(event.data);
      if (message !== undefined) receive(message, latest.current, requests);
    };
    window.addEventListener('message', onMessage);
    return () => {
      window.removeEventListener('message', onMessage);
      requests.close();
    };
  }, []);
  const { state } = options;
  const { theme, language } = state;
  useEffect(() => post(latest.current, { kind: 'state', ...latest.current.state }), [theme, language]);
  return isFlooding;
}

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
