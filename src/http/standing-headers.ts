import type { ServerResponse } from 'node:http';
import { HttpOptions } from '../config/options';
import { standingHeaders } from '../core/standing-headers';
import { newRequestId } from '../core/request-id';

/** Sets the headers of contract 1.1 that every response carries. */
export function headerSetter(http: HttpOptions): (response: ServerResponse) => void {
  const standing = standingHeaders(http.baseUrl.startsWith('https:'));
  return (response) => {
    response.setHeader('X-Request-ID', newRequestId());
    for (const [name, value] of standing) response.setHeader(name, value);
  };
}
