/**
 * Additional script of the documents' page when requests need a token: a form for signing in. The page sends the
 * token with each of its requests to this service. The tab keeps it until it is closed.
 */
export const SIGN_IN_SCRIPT = `(() => {
  'use strict';
  const KEY = 'xsvc-token';
  const CHECKED = 'v3/api-docs/swagger-config';
  const token = sessionStorage.getItem(KEY);

  const Bundle = window.SwaggerUIBundle;
  const withToken = (options) =>
    Bundle({
      ...options,
      requestInterceptor(request) {
        const isOwn = new URL(request.url, location.href).origin === location.origin;
        const headers = request.headers ?? {};
        const isSigned = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
        if (token !== null && isOwn && !isSigned) request.headers = { ...headers, Authorization: 'Bearer ' + token };
        return request;
      },
      // The page's own dialog for authorization uses the token too.
      onComplete: () => token !== null && window.ui.preauthorizeApiKey('bearer', token),
    });
  window.SwaggerUIBundle = Object.assign(withToken, Bundle);

  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const answer = make('p', {});
  answer.setAttribute('role', 'alert');

  async function signIn(given) {
    const response = await fetch(CHECKED, { headers: { Authorization: 'Bearer ' + given } }).catch(() => undefined);
    if (response?.ok) {
      sessionStorage.setItem(KEY, given);
      location.reload();
    } else if (response?.status === 403) answer.textContent = 'This token may not read the documents (/v3/*).';
    else if (response?.status === 401) answer.textContent = 'Invalid or revoked token.';
    else answer.textContent = 'The service did not answer as expected; try again.';
  }

  function signInForm() {
    const input = make('input', { type: 'password', name: 'token', autocomplete: 'off', required: true });
    const label = make('label', {}, 'Token ', input);
    const form = make('form', {}, label, ' ', make('button', { className: 'btn', textContent: 'Sign in' }), answer);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void signIn(input.value.trim());
    });
    return form;
  }

  function signOutButton() {
    const button = make('button', { className: 'btn', type: 'button', textContent: 'Sign out' });
    button.addEventListener('click', () => {
      sessionStorage.removeItem(KEY);
      location.reload();
    });
    return button;
  }

  const wrapper = make('div', { className: 'wrapper' }, token === null ? signInForm() : signOutButton());
  document.getElementById('swagger-ui').before(make('div', { className: 'swagger-ui' }, wrapper));
})();
`;
