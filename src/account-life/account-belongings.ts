export interface Owned {
  removeByAccount(accountId: string): Promise<unknown>;
}

/** Everything that an account owns, except links, imports, domains and jobs. */
export class AccountBelongings {
  constructor(private readonly repositories: readonly Owned[]) {}

  async removeAll(accountId: string): Promise<void> {
    for (const repository of this.repositories) await repository.removeByAccount(accountId);
  }
}
