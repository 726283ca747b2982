import { once } from 'node:events';
import { createServer, request as httpRequest, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import type { BodyRule } from '../../common/http/taken-body';
import type { ClientAddress } from '../client-address/client-address';
import { RequestBodies } from './request-bodies';

const MEGABYTE = 1_048_576;
const RULE: BodyRule = { types: [], limit: MEGABYTE, parse: (bytes) => bytes.length };

describe('request bodies', () => {
  let server: Server;
  let port: number;
  let bodies: RequestBodies;
  /** Resolves when the body may be read. */
  let verdict: (request: Request) => Promise<unknown>;
  let taken: Promise<unknown>[];

  beforeEach(async () => {
    const address = { client: () => ({ key: 'a client' }) } as unknown as ClientAddress;
    bodies = new RequestBodies(address);
    taken = [];
    verdict = () => Promise.resolve();
    const take = async (request: Request, response: ServerResponse): Promise<unknown> => {
      await verdict(request);
      await bodies.parseBody(request, response as Response, [RULE]);
      response.end();
      return request.body;
    };
    server = createServer((request, response) => {
      taken.push(take(Object.assign(request, { is: () => 'any' }) as unknown as Request, response));
    }).listen(0);
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => server.close());

  const post = (length: number) =>
    httpRequest({ port, method: 'POST', agent: false, headers: { 'Content-Length': length } });

  it('are read completely', async () => {
    post(MEGABYTE).end(Buffer.alloc(MEGABYTE));
    await once(server, 'request');
    expect(await taken[0]).toBe(MEGABYTE);
  });

  it('use no memory after their clients disconnect', async () => {
    verdict = (request) => new Promise((resolve) => request.socket.once('close', resolve));
    for (let i = 0; i < 3; i++) {
      const sending = post(MEGABYTE).on('error', () => undefined);
      sending.flushHeaders();
      await once(server, 'request');
      sending.destroy();
      await expect(taken[i]).rejects.toThrow('The connection was closed before the whole body');
    }
    verdict = () => Promise.resolve();
    post(MEGABYTE).end(Buffer.alloc(MEGABYTE));
    await once(server, 'request');
    expect(await taken[3]).toBe(MEGABYTE);
  });
});
