import { badRequest, forbidden, notFound } from '../common/errors';
import { MAX_KEYS } from './api-key';

export class KeyCapError extends badRequest(
  `An account can have at most ${MAX_KEYS} keys that are not revoked; revoke or delete one first`,
) {}

export class UnknownKeyError extends notFound('API key not found') {}

export class ForeignKeyError extends forbidden('This API key belongs to another account') {}
