/** A cookie that a server has set. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** The attributes as the server wrote them. */
  readonly attributes: readonly string[];
}

export interface Visit {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
}

/** Visits pages like a browser: step by step through redirects, with the cookies of a host for all its ports. */
export class Visitor {
  /** By host name and cookie name. */
  readonly cookies = new Map<string, SetCookie>();

  /** One request, without following where it leads. */
  async open(url: string, init: RequestInit = {}): Promise<Visit> {
    const { hostname } = new URL(url);
    const headers = new Headers(init.headers);
    const cookies = [...this.cookies].filter(([key]) => key.startsWith(`${hostname} `));
    if (cookies.length > 0)
      headers.set('Cookie', cookies.map(([, one]) => `${one.name}=${one.value}`).join('; '));
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) this.#keep(hostname, line);
    return { status: answer.status, url, headers: answer.headers, text: await answer.text() };
  }

  /** Follows redirects until a page, or until the next address is one to stop at. */
  async follow(url: string, isEnd: (next: string) => boolean = () => false): Promise<Visit> {
    let at = url;
    for (let left = 20; left > 0; left--) {
      const visit = await this.open(at);
      const location = visit.headers.get('location');
      if (location === null) return visit;
      at = new URL(location, at).href;
      if (isEnd(at)) return { ...visit, url: at };
    }
    throw new Error(`too many redirects from ${url}`);
  }

  #keep(hostname: string, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = ''] = pair.split('=', 1);
    const value = pair.slice(name.length + 1);
    const isGone =
      value === '' || attributes.some((one) => /^max-age=0$|^expires=thu, 01 jan 1970/i.test(one));
    if (isGone) this.cookies.delete(`${hostname} ${name}`);
    else this.cookies.set(`${hostname} ${name}`, { name, value, attributes });
  }
}
