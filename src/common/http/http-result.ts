import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  CallHandler,
  ExecutionContext,
  Injectable,
  NestInterceptor,
  Res,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { concatMap, type Observable } from 'rxjs';
import { PAGE_POLICY } from './page';

export interface FileResult {
  readonly kind: 'file';
  readonly contentType: string;
  readonly disposition: string;
  /** Absent if unknown. */
  readonly bytes?: number;
  /** Starts writing. Call only after all validation. */
  open(): NodeJS.ReadableStream;
  close(): Promise<void>;
}

export interface AssetResult {
  readonly kind: 'asset';
  readonly contentType: string;
  /** A function is called only if the browser does not have the asset yet. */
  readonly body: string | Buffer | (() => Promise<Buffer>);
  readonly etag: string;
  /** Time after which a browser revalidates the asset. */
  readonly maxAgeSeconds: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Uses a weak ETag if the response may be compressed, since strong ETags identify exact bytes. */
export function toAsset(
  contentType: string,
  body: string | Buffer,
  { maxAgeSeconds = 3600, isCompressible = false } = {},
): AssetResult {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const asset = { kind: 'asset', contentType, body, etag: `"${digest}"`, maxAgeSeconds } as const;
  if (!isCompressible) return asset;
  return { ...asset, etag: `W/${asset.etag}`, headers: { Vary: 'Accept-Encoding' } };
}

/** An asset on disk with a content hash in its name, so it is cached indefinitely. */
export interface AssetFileResult {
  readonly kind: 'asset-file';
  readonly contentType: string;
  readonly path: string;
  /** Paths to compressed variants by content coding, best first. */
  readonly codings: Readonly<Record<string, string>>;
}

export type JsonParts = readonly (string | Uint8Array)[];

/** `page` is HTML with the default policy or another one, `redirect` is a 302 or 303. */
export type HttpResult =
  | { readonly kind: 'json'; readonly body: object }
  | { readonly kind: 'json-parts'; readonly parts: JsonParts }
  | { readonly kind: 'text'; readonly contentType: string; readonly text: string }
  | { readonly kind: 'page'; readonly markup: string; readonly policy?: string }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: 302 | 303 }
  | FileResult
  | AssetResult
  | AssetFileResult;

@Injectable()
class HttpResultInterceptor implements NestInterceptor<HttpResult, void> {
  intercept(context: ExecutionContext, next: CallHandler<HttpResult>): Observable<void> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    return next.handle().pipe(concatMap((result) => sendResult(result, request, response)));
  }
}

export function SendsResult(): MethodDecorator {
  return answersBy(HttpResultInterceptor);
}

/** Makes an interceptor write the response from the handler's return value. */
export function answersBy(interceptor: Type<NestInterceptor>): MethodDecorator {
  return (target, key, descriptor: PropertyDescriptor) => {
    // With a `@Res()` parameter, Nest does not send the return value. This line declares such a
    // parameter after the last one. The handler ignores it.
    Res()(target, key, (descriptor.value as (...args: unknown[]) => unknown).length);
    UseInterceptors(interceptor)(target, key, descriptor);
  };
}

async function sendResult(result: HttpResult, request: Request, response: Response): Promise<void> {
  switch (result.kind) {
    case 'json':
      response.status(200).json(result.body);
      return;
    case 'json-parts':
      response.status(200).type('json').send(joinParts(result.parts));
      return;
    case 'text':
      response.status(200).set('Content-Type', result.contentType).send(result.text);
      return;
    case 'page':
      response.status(200).set('Content-Security-Policy', result.policy ?? PAGE_POLICY);
      response.type('html').send(result.markup);
      return;
    case 'redirect':
      response.redirect(result.status ?? 302, result.location);
      return;
    case 'asset':
      await sendAsset(result, request, response);
      return;
    case 'asset-file':
      await sendAssetFile(result, request, response);
      return;
    case 'file':
      await sendFile(result, response);
  }
}

function joinParts(parts: JsonParts): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

function cacheControl(maxAgeSeconds: number): string {
  return maxAgeSeconds > 0 ? `public, max-age=${maxAgeSeconds}` : 'no-cache';
}

async function sendAsset(
  { contentType, body, etag, maxAgeSeconds, headers }: AssetResult,
  request: Request,
  response: Response,
): Promise<void> {
  response.set('ETag', etag);
  const isKnown = request.fresh;
  // If creating the body throws, the error response must not have these headers.
  response.removeHeader('ETag');
  const bytes = isKnown ? '' : typeof body === 'function' ? await body() : body;
  response.set({ 'Cache-Control': cacheControl(maxAgeSeconds), ETag: etag, ...headers });
  if (isKnown) response.status(304).end();
  else response.type(contentType).send(bytes);
}

async function sendAssetFile(
  { contentType, path, codings }: AssetFileResult,
  request: Request,
  response: Response,
): Promise<void> {
  const coding = Object.keys(codings).find((each) => request.acceptsEncodings(each) === each);
  response.status(200).set({
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Type': contentType,
    Vary: 'Accept-Encoding',
    ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
  });
  await pipeline(createReadStream(codings[coding ?? ''] ?? path), response);
}

async function sendFile(file: FileResult, response: Response): Promise<void> {
  try {
    response.status(200);
    response.setHeader('Content-Type', file.contentType);
    response.setHeader('Content-Disposition', file.disposition);
    response.setHeader('Cache-Control', 'no-store');
    if (file.bytes !== undefined) response.setHeader('Content-Length', file.bytes);
    await pipeline(file.open() as Readable, response);
  } catch (error) {
    // The client has disconnected, which is not an error.
    if (!response.destroyed || !isPrematureClose(error)) throw error;
  } finally {
    await file.close();
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
