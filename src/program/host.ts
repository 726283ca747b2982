import type { IncomingMessage } from 'node:http';

/** `uri-host [":" port]` of RFC 9112 3.2, where http leaves no host empty (RFC 9110 4.2.1). */
const HOST_FORM =
  /^(?:\[[0-9A-Fa-f:.]+\]|\[v[0-9A-Fa-f]+\.[\w.~!$&'()*+,;=:-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::(\d*))?$/;
const MAX_PORT = 65_535;

/** Almost all requests say the same one. */
let lastHost = '';

/** Whether this is the value of a Host line. */
export function isHost(text: string): boolean {
  if (text === lastHost) return text !== '';
  const [matched, port = ''] = HOST_FORM.exec(text) ?? [];
  if (matched === undefined || Number(port) > MAX_PORT) return false;
  lastHost = text;
  return true;
}

/** Whether a request has one Host line, and a valid one; HTTP/1.0 asks for none. */
export function hasValidHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const { host } = headers;
  if (host === undefined) return httpVersion === '1.0';
  // Node keeps the first of several lines.
  let lines = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') lines++;
  }
  return lines === 1 && isHost(host);
}
