import type { Request } from 'express';
import type { Strategy } from 'passport-google-oauth20';
import type { Proof } from './oauth-provider';

/** How a strategy ends: it sends the browser away, or knows who it is. */
export type Outcome =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'claims'; readonly claims: Readonly<Record<string, unknown>> };

/**
 * Runs a passport strategy once, as passport's own middleware does: on a copy that has the methods
 * by which it tells its outcome. Sessions and Express have no part in it.
 *
 * @param query empty to start, `{ code }` to finish
 */
export function runStrategy(
  strategy: Strategy,
  query: Readonly<Record<string, string>>,
  proof: Proof,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const run = Object.assign(Object.create(strategy) as Strategy, {
      redirect: (url: string) => resolve({ kind: 'redirect', url }),
      success: (claims: Readonly<Record<string, unknown>>) => resolve({ kind: 'claims', claims }),
      fail: () => reject(new Error('The provider refused')),
      error: (error: Error) => reject(error),
    });
    run.authenticate({ query } as unknown as Request, proof);
  });
}
