import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Caller } from '../auth/caller';
import { limitRow, windowsOf } from '../auth/rate-limit/rate-limits';
import { RateLimiter } from '../auth/rate-limit/rate-limiter';
import { cachingOf } from '../common/http/http-result';
import type { RefusalResponder, RequestHandler } from '../common/request-handler';
import { ClientAddress } from '../infrastructure/client-address/client-address';
import { type KnownImage, QrImagesService } from './qr-images.service';

const NOBODY = new Caller(null);
const IMAGE = /^\/[^/?]+\/qr\.(?:svg|png)(?:\?|$)/;

/**
 * Stands ahead of Express: a picture that was asked for in the same words and is remembered is
 * answered here, so that a code on a much-read page takes little from the redirects beside it.
 * All else goes on to the controller, whose limit is the same (`qr.image`).
 */
@Injectable()
export class QrImagesHandler {
  constructor(
    private readonly images: QrImagesService,
    private readonly limiter: RateLimiter,
    private readonly address: ClientAddress,
  ) {}

  /** The request listener that answers known pictures and hands everything else to `next`. */
  handle(next: RequestHandler, prepare: RequestHandler, refuse: RefusalResponder): RequestHandler {
    return (request, response) => {
      const known = isPlain(request) ? this.images.known(request.url ?? '') : null;
      if (known === null) {
        next(request, response);
        return;
      }
      prepare(request, response);
      this.count(request, response)
        .then(() => send(known, response))
        .catch((error: unknown) => refuse(request, response, error));
    };
  }

  private async count(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const row = limitRow('qr.image');
    const windows = windowsOf(row, NOBODY);
    if (windows.length === 0) return;
    const { key } = this.address.client(request);
    await this.limiter.take(response, `qr.image|ip:${key}`, windows, row.hint);
  }
}

/** Neither conditional nor with a credential. */
function isPlain({ method, url, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    IMAGE.test(url ?? '') &&
    headers['if-none-match'] === undefined &&
    headers['if-modified-since'] === undefined &&
    headers.cookie === undefined &&
    headers.authorization === undefined
  );
}

function send(
  { contentType, etag, maxAgeSeconds, headers, body }: KnownImage,
  response: ServerResponse,
): void {
  response.writeHead(200, {
    'Cache-Control': cachingOf(maxAgeSeconds),
    ETag: etag,
    ...headers,
    'Content-Type': contentType,
    'Content-Length': body.length,
  });
  response.end(body);
}
