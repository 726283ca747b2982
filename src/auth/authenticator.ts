import { Principal } from './principal';

/**
 * Port that turns credentials into principals; the accounts and api-keys module stand behind it.
 * Both methods answer null for a bad credential and throw only when they could not find out.
 */
export abstract class Authenticator {
  /** @param key the whole bearer value, starting with `svc_` */
  abstract byKey(key: string): Promise<Principal | null>;
  /**
   * @param token a JWT access token
   * @param live whether its session must not have ended; a token that names none is refused then
   */
  abstract byToken(token: string, live: boolean): Promise<Principal | null>;
}
