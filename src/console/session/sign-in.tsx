import { useQuery } from '@tanstack/react-query';
import { useId, useState, type SubmitEvent, type ReactNode } from 'react';
import { ApiError, formatMessage } from '../api/errors.js';
import { readJson, send } from '../api/http.js';
import { textAt } from '../lib/json.js';
import { MODELS_URL } from '../api/models.js';
import { queries } from '../api/queries.js';
import { LanguageSelect } from '../parts/choices/language-select.js';
import { t } from '../texts.js';
import { keepPlace, signIn, SIGN_IN_URL } from './session.js';

/** The input is not a token. */
const NO_TOKEN = Symbol('no token');

/** Asks for a token. The former page is displayed as soon as it is valid. */
export function SignIn(): ReactNode {
  const id = useId();
  const [token, setToken] = useState('');
  const [refusal, setRefusal] = useState<unknown>();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const given = token.trim();
    const found = await checkToken(given);
    setRefusal(found);
    if (found !== undefined) return;
    signIn(given);
    await queries.invalidateQueries();
  };
  return (
    <main className="alone">
      <form className="card sign-in stack tight" onSubmit={(event) => void submit(event)}>
        <h1>{t`Sign in`}</h1>
        <label htmlFor={id}>{t`Token`}</label>
        <input
          id={id}
          type="password"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={token}
          aria-invalid={refusal !== undefined}
          aria-describedby={`${id}-problem ${id}-hint`}
          onChange={({ target }) => setToken(target.value)}
        />
        <p id={`${id}-problem`} className="problem" role="alert">
          {refusal !== undefined && formatRefusal(refusal)}
        </p>
        <button type="submit" className="primary">
          {t`Sign in`}
        </button>
        <p id={`${id}-hint`} className="faint">
          {t`The token stays in this tab only.`} {t`Create one with:`}{' '}
          <code>xsvc token create --user NAME</code>
        </p>
        <IssuerLink />
        <LanguageSelect />
      </form>
    </main>
  );
}

/** A link to the sign-in at the issuer; nothing for a service without one. */
function IssuerLink(): ReactNode {
  const { data: issuer } = useQuery({ queryKey: ['sign-in'], queryFn: findIssuer, staleTime: Infinity });
  if (issuer === undefined || issuer === null) return null;
  return (
    <a className="button" href={SIGN_IN_URL} onClick={keepPlace}>
      {t`Sign in with ${issuer}`}
    </a>
  );
}

/** The host of the issuer; null without one. */
async function findIssuer(): Promise<string | null> {
  const response = await fetch('/apis/api.platform.run/v1alpha1/signin').catch(() => undefined);
  if (response?.ok !== true) return null;
  const issuer = textAt(await readJson(response), 'issuer');
  return issuer !== undefined && URL.canParse(issuer) ? new URL(issuer).host : null;
}

/** The reason why a token is not accepted; undefined when it is known, with any rights. */
async function checkToken(token: string): Promise<unknown> {
  // Other characters are not allowed in a header.
  if (!/^[\x21-\x7e]+$/.test(token)) return NO_TOKEN;
  try {
    await send(MODELS_URL, { token });
    return undefined;
  } catch (error) {
    return error instanceof ApiError && error.code === 403 ? undefined : error;
  }
}

/** In the current language, which may change while the refusal is displayed. */
function formatRefusal(refusal: unknown): string {
  const code = refusal instanceof ApiError ? refusal.code : 0;
  if (refusal === NO_TOKEN || code === 401) return t`Invalid or revoked token.`;
  return code === 429 ? t`Too many failed logins. Try again later.` : formatMessage(refusal);
}
