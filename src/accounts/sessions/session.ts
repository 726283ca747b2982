/** How somebody has proved who they are (claim `amr`, docs/contract.md#3.3). */
export type SignInMethod = 'pwd' | 'google' | 'oidc';

/** One sign-in: the family of refresh tokens that descend from it. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly methods: readonly SignInMethod[];
}

/** What a sign-in or a refresh hands out. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export const ACCESS_SECONDS = 900;
export const REFRESH_SECONDS = 2_592_000;
