import { HttpOptions } from '../config/options';
import { DestinationError } from './links.errors';

export const LONGEST_URL = 2048;
const ABSOLUTE = /^https?:\/\/[^/?#\\]/i;
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const FORBIDDEN = /[\s\u0000-\u001f\u007f-\u009f]/;

/** Throws DestinationError unless `text` is an acceptable destination (contract 5.2). */
export function checkDestination(text: string, http: Pick<HttpOptions, 'baseUrl'>): void {
  if (!ABSOLUTE.test(text) || FORBIDDEN.test(text) || !text.isWellFormed()) {
    throw new DestinationError();
  }
  if (!URL.canParse(text)) throw new DestinationError();
  const target = new URL(text);
  if (target.hostname === '' || isLoop(target, new URL(http.baseUrl))) throw new DestinationError();
}

/** A link to ourselves: our host and port, or a sub-domain of our host. */
function isLoop(target: URL, base: URL): boolean {
  const [host, ours] = [withoutDot(target.hostname), withoutDot(base.hostname)];
  const samePort = portOf(target) === portOf(base);
  if (host === ours) return samePort;
  if (!host.endsWith(`.${ours}`)) return false;
  return ours !== 'localhost' || samePort;
}

function withoutDot(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}
