import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { parseUrl } from '../../config/url';
import { withTimeout } from '../../common/with-timeout';
import { OutboundOptions } from '../../config/options';
import { OutboundError, type OutboundFailure } from './outbound.errors';
import { PublicAddresses } from './public-addresses';

const MAX_ANSWER_HEADER_BYTES = 16 * 1024;

export type Resolver = (host: string) => Promise<readonly string[]>;

export interface OutboundTimes {
  /** Time limit for name resolution and connecting, including TLS. */
  connectMs: number;
  /** Time limit for the complete response. */
  totalMs: number;
}

const DEFAULT_TIMES: OutboundTimes = { connectMs: 10_000, totalMs: 60_000 };

export interface OutboundRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Maximum body size; requests with larger responses fail. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** A response with any status except 3xx. */
export interface OutboundAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A URL, and the only IP address that the client may connect to for it. */
interface OutboundTarget {
  readonly url: URL;
  readonly host: string;
  readonly address: string;
}

/**
 * All outgoing requests use this client (docs/contract.md#17.3). It resolves the host name, checks
 * all addresses and connects to a checked address, so that the owner of a host name cannot direct
 * requests into the operator's network. It does not follow redirects.
 */
export class OutboundClient {
  private readonly addresses: PublicAddresses;

  constructor(
    { allowedNetworks }: OutboundOptions,
    private readonly resolve: Resolver = systemResolver,
    private readonly times: OutboundTimes = DEFAULT_TIMES,
  ) {
    this.addresses = new PublicAddresses(allowedNetworks);
  }

  /** @throws OutboundError if there is no complete response */
  async request(request: OutboundRequest): Promise<OutboundAnswer> {
    const url = readTarget(request.url);
    const { connectMs, totalMs } = this.times;
    const ended = new AbortController();
    const endBy = (failure: OutboundFailure) => () => {
      ended.abort(new OutboundError(failure, url.hostname));
    };
    const timers = [
      setTimeout(endBy('timeout'), connectMs),
      setTimeout(endBy('timeout'), totalMs),
    ] as const;
    const cancel = endBy('cancelled');
    request.signal?.addEventListener('abort', cancel, { once: true });
    if (request.signal?.aborted === true) cancel();
    try {
      const target = await unlessEnded(this.judge(url), ended.signal);
      const connected = () => clearTimeout(timers[0]);
      const answer = exchange(target, request, { signal: ended.signal, connected });
      return await unlessEnded(answer, ended.signal);
    } catch (error) {
      throw ended.signal.aborted ? ended.signal.reason : error;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      request.signal?.removeEventListener('abort', cancel);
    }
  }

  /** @throws OutboundError if the client would refuse this URL */
  async check(text: string): Promise<void> {
    const url = readTarget(text);
    await withTimeout(this.judge(url), this.times.connectMs, () => {
      throw new OutboundError('timeout', url.hostname);
    });
  }

  /** @throws OutboundError unless all of the host's addresses are allowed */
  async judge(url: URL): Promise<OutboundTarget> {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const found = isIP(host) === 0 ? await this.resolveAddresses(host) : [host];
    if (!found.every((address) => this.addresses.mayReach(address))) {
      throw new OutboundError('not_public', url.hostname);
    }
    const isPlain = url.protocol === 'http:';
    if (isPlain && !found.every((address) => this.addresses.isAllowed(address))) {
      throw new OutboundError('scheme', url.hostname);
    }
    // Prefers IPv4, because some machines have no IPv6.
    const address = found.find((candidate) => isIP(candidate) === 4) ?? found[0];
    if (address === undefined) throw new OutboundError('unknown_host', url.hostname);
    return { url, host, address };
  }

  private async resolveAddresses(host: string): Promise<readonly string[]> {
    try {
      return await this.resolve(host);
    } catch (error) {
      throw new OutboundError('unknown_host', host, error);
    }
  }
}

async function systemResolver(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

function readTarget(text: string): URL {
  const url = parseUrl(text);
  if (url === null || url.hostname === '') throw new OutboundError('unreadable', 'The URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutboundError('scheme', url.hostname);
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('credentials', url.hostname);
  }
  return url;
}

async function unlessEnded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let end: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason as Error);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Uses a new connection, which is always closed afterwards. */
function exchange(
  target: OutboundTarget,
  requested: OutboundRequest,
  watch: { readonly signal: AbortSignal; readonly connected: () => void },
): Promise<OutboundAnswer> {
  const { url, host, address } = target;
  const isPlain = url.protocol === 'http:';
  const family = isIP(address);
  const fail = (failure: OutboundFailure, cause?: unknown) =>
    new OutboundError(failure, url.hostname, cause);
  const options: https.RequestOptions = {
    method: requested.method ?? 'GET',
    headers: { 'Accept-Encoding': 'identity', 'User-Agent': 'Curtail', ...requested.headers },
    agent: isPlain ? new http.Agent() : new https.Agent(),
    maxHeaderSize: MAX_ANSWER_HEADER_BYTES,
    signal: watch.signal,
    // Prevents another lookup; an IP address in the URL is never looked up.
    lookup: (_name, { all }, callback) => {
      if (all === true) callback(null, [{ address, family }]);
      else callback(null, address, family);
    },
    ...(isIP(host) === 0 && { servername: host }),
  };
  return new Promise((resolve, reject) => {
    const request = (isPlain ? http : https).request(url, options);
    const end = (error: Error) => {
      request.destroy();
      reject(error);
    };
    request.on('error', (error) => end(fail(outboundFailure(error), error)));
    // The connection was closed without a response, for example by a protocol upgrade.
    request.on('close', () => end(fail('broken')));
    request.on('socket', (socket) =>
      socket.once(isPlain ? 'connect' : 'secureConnect', watch.connected),
    );
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      if (status >= 300 && status < 400) {
        end(fail('redirect'));
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > requested.maxBytes) end(fail('too_large'));
        else chunks.push(chunk);
      });
      response.on('error', (error) => end(fail(outboundFailure(error), error)));
      response.on('close', () => {
        if (!response.complete) end(fail('broken'));
      });
      response.on('end', () => {
        if (!response.complete) return;
        resolve({ status, headers, body: Buffer.concat(chunks) });
        request.destroy();
      });
    });
    request.end(requested.body);
  });
}

const CONNECT_FAILURES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
]);

function outboundFailure(error: Error): OutboundFailure {
  const code = 'code' in error ? String(error.code) : '';
  if (CONNECT_FAILURES.has(code)) return 'unreachable';
  if (/CERT|^ERR_TLS|SIGNED|ISSUER|^EPROTO|^ERR_SSL/.test(code)) return 'certificate';
  return 'broken';
}
