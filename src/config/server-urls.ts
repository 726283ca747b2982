import { z } from 'zod';
import { parseUrl } from './url';

// Errors never contain these URLs, because the invalid part is often a password.

export const ESCAPE_HINT =
  'is not a valid URL; in a password, # / ? @ : % must be percent-encoded as ' +
  '%23 %2F %3F %40 %3A %25';

const SOCKET = /^(?:redis\+)?unix:\/\/(?:([^/?#@]*)@)?(\/[^?#]+)(\?[^#]*)?$/;
const REDIS_FORMS = 'redis://, rediss:// or redis+unix:///';

/** Converts socket URLs from other Redis clients (`unix://`, `redis+unix://`) for ioredis. */
export const redisUrl = z.string().transform((value, context): string => {
  const url = lowerCaseScheme(value);
  const fault = /^(?:(?:redis\+)?unix:\/\/|\/(?!\/))/.test(url)
    ? socketFault(url)
    : tcpFault(url, ['redis', 'rediss'], REDIS_FORMS);
  const problem = fault ?? databaseFault(url);
  if (problem === null) return socketAddress(url) ?? url;
  context.addIssue(problem);
  return z.NEVER;
});

function socketFault(url: string): string | null {
  if (url.startsWith('/')) return null;
  const [, userInfo = '', path] = SOCKET.exec(url) ?? [];
  if (path === undefined || path.includes('@')) {
    return `${ESCAPE_HINT}; a socket needs its full path, such as redis+unix:///run/redis.sock`;
  }
  return isEscaped(userInfo) && isEscaped(path) ? null : ESCAPE_HINT;
}

function socketAddress(url: string): string | null {
  const [, userInfo = '', path, query = ''] = SOCKET.exec(url) ?? [];
  if (path === undefined) return null;
  const options = new URLSearchParams(query);
  const [user = '', ...password] = userInfo.split(':');
  if (user !== '') options.set('username', decodeURIComponent(user));
  if (password.length > 0) options.set('password', decodeURIComponent(password.join(':')));
  const address = decodeURIComponent(path);
  return options.size === 0 ? address : `${address}?${options.toString()}`;
}

/** The database number is in the path or the query. */
function databaseFault(url: string): string | null {
  const [beforeQuery = '', query = ''] = url.split('?', 2);
  const path = /^rediss?:\/\/[^/]*\/(.*)$/.exec(beforeQuery)?.[1] ?? '';
  const named = [path, new URLSearchParams(query).get('db') ?? ''];
  if (named.every((number) => /^(?:\d{1,9}\/?)?$/.test(number))) return null;
  return 'must give the database as a number, such as redis://host:6379/1';
}

/** CLICKHOUSE_URL, which may contain user and password. Its path is the database name. */
export const clickHouseUrl = z.string().transform((value, context): string => {
  const url = lowerCaseScheme(value);
  const fault = tcpFault(url, ['http', 'https'], 'http:// or https://') ?? pathFault(url);
  if (fault === null) return url;
  context.addIssue(fault);
  return z.NEVER;
});

function pathFault(url: string): string | null {
  const { pathname, search } = new URL(url);
  if (/^\/[^/]*\/?$/.test(pathname) && isEscaped(pathname) && search === '') return null;
  return 'must have the database as its path and nothing after it, such as http://host:8123/curtail';
}

export const smtpUrl = z.string().transform((value, context): string => {
  const url = lowerCaseScheme(value);
  const fault = tcpFault(url, ['smtp', 'smtps'], 'smtp:// or smtps://');
  if (fault === null) return url;
  context.addIssue(fault);
  return z.NEVER;
});

function tcpFault(text: string, schemes: readonly string[], forms: string): string | null {
  const [, scheme = '', authority = '', rest = ''] =
    /^([a-z+]+):\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (!schemes.includes(scheme) || text === `${scheme}://`) {
    return `must be a URL starting with ${forms}`;
  }
  const url = parseUrl(text);
  const [userInfo = ''] = /^.*(?=@)/s.exec(authority) ?? [];
  const stray = rest.includes('@') || rest.includes('#') || /\p{Cc}/u.test(text);
  if (url === null || stray || !isEscaped(userInfo)) return ESCAPE_HINT;
  return url.hostname === '' ? `must have a host after ${scheme}://` : null;
}

/** Checks only the scheme; the driver checks the rest (infrastructure/mongo/mongo-uri.ts). */
export const mongoUri = z.string().refine((value) => /^mongodb(?:\+srv)?:\/\/./i.test(value), {
  error: 'must be a URL starting with mongodb:// or mongodb+srv://',
});

function lowerCaseScheme(url: string): string {
  return url.replace(/^[a-z][a-z\d+.-]*(?=:)/i, (scheme) => scheme.toLowerCase());
}

function isEscaped(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
