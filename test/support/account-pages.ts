import request from 'supertest';
import { anAddress } from './http';
import type { Service } from './service';

/** A GET as a browser sends it, redirects not followed. */
export function getPage(
  service: Service,
  path: string,
  headers: Record<string, string> = {},
): request.Test {
  return request(service.url)
    .get(path)
    .redirects(0)
    .set({ Accept: 'text/html', 'X-Forwarded-For': anAddress(), ...headers });
}

/** A form as a browser sends it from a page of the service, redirects not followed. */
export function sendForm(
  service: Service,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): request.Test {
  return request(service.url)
    .post(path)
    .redirects(0)
    .type('form')
    .set({
      Accept: 'text/html',
      Origin: `http://localhost:${service.port}`,
      'X-Forwarded-For': anAddress(),
      ...headers,
    })
    .send(fields);
}
