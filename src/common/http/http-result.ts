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

/** A file to be saved: its writer reads from `source`, which is closed whatever happens. */
export interface FileResult {
  readonly kind: 'file';
  readonly contentType: string;
  readonly disposition: string;
  /** Starts writing; whatever can be refused was refused before. */
  open(): NodeJS.ReadableStream;
  close(): Promise<void>;
}

/** An asset out of memory, asked for again by its ETag. */
export interface AssetResult {
  readonly kind: 'asset';
  readonly contentType: string;
  /** Or what makes it, asked for where a browser does not have it already. */
  readonly body: string | Buffer | (() => Promise<Buffer>);
  readonly etag: string;
  /** How long a browser uses it before it asks again. */
  readonly maxAgeSeconds: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An asset with these contents, from which its ETag follows; a weak one where the answer may be
 * compressed, because a strong one would be of these very bytes.
 */
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

/** An asset on the disk whose name changes with its contents, so that it may be kept for good. */
export interface AssetFileResult {
  readonly kind: 'asset-file';
  readonly contentType: string;
  readonly path: string;
  /** Paths of the same, compressed, by their content codings, the best one first. */
  readonly codings: Readonly<Record<string, string>>;
}

/** JSON whose parts were written one by one, some of them in another process. */
export type JsonParts = readonly (string | Uint8Array)[];

/**
 * Result of a handler whose answer has several forms; services make it without knowing HTTP.
 * `page` is the markup of a page of ours, with the policy of all pages or its own, `redirect` a 302 or 303.
 */
export type HttpResult =
  | { readonly kind: 'json'; readonly body: object }
  | { readonly kind: 'json-parts'; readonly parts: JsonParts }
  | { readonly kind: 'page'; readonly markup: string; readonly policy?: string }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: 302 | 303 }
  | FileResult
  | AssetResult
  | AssetFileResult;

/** Turns the result of a handler into its HTTP answer. */
@Injectable()
class HttpResultInterceptor implements NestInterceptor<HttpResult, void> {
  intercept(context: ExecutionContext, next: CallHandler<HttpResult>): Observable<void> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    return next.handle().pipe(concatMap((result) => sendResult(result, request, response)));
  }
}

/** Says that the handler returns an HttpResult. */
export function SendsResult(): MethodDecorator {
  return answersBy(HttpResultInterceptor);
}

/** Has an interceptor write the answers of a handler, from what it returns. */
export function answersBy(interceptor: Type<NestInterceptor>): MethodDecorator {
  return (target, key, descriptor: PropertyDescriptor) => {
    // Nest leaves an answer alone whose response the handler takes. This parameter, behind the
    // last one, says so; no handler sees it.
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

/** Browsers keep an asset for its time and then ask by its ETag. */
async function sendAsset(
  { contentType, body, etag, maxAgeSeconds, headers }: AssetResult,
  request: Request,
  response: Response,
): Promise<void> {
  response.set('ETag', etag);
  const isKnown = request.fresh;
  // Should it fail to be made, the answer is an error without all this.
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
    await pipeline(file.open() as Readable, response);
  } catch (error) {
    // A client that stops reading has no use for an answer; nothing is wrong here.
    if (!response.destroyed || !isPrematureClose(error)) throw error;
  } finally {
    await file.close();
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
