import { anAddress } from '../http';

interface Cookie {
  readonly host: string;
  readonly name: string;
  readonly path: string;
  readonly value: string;
}

export class Browser {
  private cookies: Cookie[] = [];

  constructor(readonly address = anAddress()) {}

  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const target = new URL(url);
    const answer = await fetch(target, {
      ...init,
      redirect: 'manual',
      headers: {
        Accept: 'text/html',
        'X-Forwarded-For': this.address,
        Cookie: this.cookiesFor(target),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
    for (const line of answer.headers.getSetCookie()) this.keep(target.hostname, line);
    return answer;
  }

  cookie(host: string, name: string): string | undefined {
    return this.cookies.find((cookie) => cookie.host === host && cookie.name === name)?.value;
  }

  cookiesFor({ hostname, pathname }: URL): string {
    return this.cookies
      .filter(({ host, path }) => host === hostname && covers(path, pathname))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  /**
   * Goes from the service to the provider, signs in and consents; returns the callback address
   * without requesting it.
   */
  async visitProvider(start: Response, login: string): Promise<string> {
    return this.travel(start, (form, page) =>
      this.request(page, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(
          form === 'login' ? { prompt: 'login', login, password: 'any' } : { prompt: 'consent' },
        ).toString(),
      }),
    );
  }

  async refuseAtProvider(start: Response): Promise<string> {
    return this.travel(start, (_, page) => this.request(`${page}/abort`));
  }

  private async travel(
    start: Response,
    answerForm: (form: 'login' | 'consent', page: string) => Promise<Response>,
  ): Promise<string> {
    let [answer, at] = [start, 'http://localhost'];
    for (let step = 0; step < 20; step++) {
      const location = answer.headers.get('Location');
      if (location !== null) {
        at = new URL(location, at).href;
        if (new URL(at).pathname.endsWith('/callback')) return at;
        answer = await this.request(at);
        continue;
      }
      const form = /name="prompt" value="(login|consent)"/.exec(await answer.text())?.[1];
      if (form !== 'login' && form !== 'consent') {
        throw new Error(`The provider answered ${answer.status} at ${at}`);
      }
      answer = await answerForm(form, at);
    }
    throw new Error('The provider sends the browser in circles');
  }

  private keep(host: string, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals);
    const value = pair.slice(equals + 1);
    const attribute = (wanted: string) =>
      attributes.find((a) => a.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = attribute('path') ?? '/';
    const isOver =
      attribute('max-age') === '0' || Date.parse(attribute('expires') ?? '') < Date.now();
    this.cookies = this.cookies.filter(
      (cookie) => cookie.host !== host || cookie.name !== name || cookie.path !== path,
    );
    if (!isOver) this.cookies.push({ host, name, path, value });
  }
}

function covers(path: string, pathname: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}
