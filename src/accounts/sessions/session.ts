/** How somebody has proved who they are: `pwd` or a provider's name (claim `amr`, docs/contract.md#3.3). */
export type SignInMethod = string;

/** One sign-in: the family of refresh tokens that descend from it. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly methods: readonly SignInMethod[];
}
