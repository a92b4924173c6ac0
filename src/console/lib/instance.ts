/** The service that the page belongs to, as its operator named it: attributes of the page itself. */
const { name = 'xsvc', environment } = document.documentElement.dataset;

export const INSTANCE = { name, environment } as const;
