import { mongo } from 'mongoose';
import { ConfigurationError } from '../../config/environment.schema';
import { ESCAPE_HINT } from '../../config/server-urls';

/** @throws ConfigurationError if MONGODB_URI can never connect */
export function assertMongoUri(uri: string): void {
  const fault = mongoUriFault(uri);
  if (fault !== null) throw new ConfigurationError('MONGODB_URI', uri, fault);
}

/** Returns why the URI can never connect, without quoting the password; otherwise null. */
export function mongoUriFault(uri: string): string | null {
  // The driver's parser ignores line breaks silently.
  if (/\p{Cc}/u.test(uri) || /:\/\/(?:[^/?#]*@)?[^/?#@]*\s/.test(uri)) return ESCAPE_HINT;
  try {
    new mongo.MongoClient(uri).db();
    return null;
  } catch (error) {
    return plainReason(uri, error instanceof Error ? error.message : '');
  }
}

/** Words that the driver's messages list as allowed values, and word separators. */
const HARMLESS = /^(?:true|false|\W*)$/;

/** Returns the driver's reason, unless it might contain part of a password. */
function plainReason(uri: string, reason: string): string {
  const [, authority = '', rest = ''] = /^[^:]*:\/\/([^/?#]*)(.*)$/s.exec(uri) ?? [];
  const isStray = authority.split('@').length > 2 || /[@#]/.test(rest);
  if (isStray || /unescaped|malformed|parse|Invalid URL/i.test(reason)) return ESCAPE_HINT;
  const [userInfo = ''] = /^.*(?=@)/s.exec(authority) ?? [];
  const values = `${userInfo} ${rest.replace(/([?&])[\w.]*=/g, '$1')}`.split(/\W+/);
  const words = reason.replace(/,? got:?\s.*$/s, '').split(/(\W+)/);
  const isQuoted = words.some((word) => !HARMLESS.test(word) && values.includes(word));
  return isQuoted ? 'is not accepted by the MongoDB driver' : `cannot be used: ${words.join('')}`;
}
