import request from 'supertest';
import { anAddress } from './http';
import type { Service } from './service';

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
