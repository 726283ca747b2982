export const DOMAIN_STATUSES = ['pending', 'active', 'suspended', 'revoked'] as const;

export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

/** JSON text exactly as served (docs/contract.md#25.1). */
export interface AppLinks {
  readonly apple: string | null;
  readonly android: string | null;
}

export interface DomainSettings {
  /** Target of `/`; null = an error page. */
  readonly rootRedirect: string | null;
  /** Target of unknown aliases and paths; null = an error page. */
  readonly notFoundRedirect: string | null;
  /** Contents of robots.txt; null = those of BASE_URL's host. */
  readonly robots: string | null;
  readonly appLinks: AppLinks | null;
}

export interface Domain extends DomainSettings {
  readonly id: string;
  readonly ownerId: string;
  /** A-labels in lower case, without a trailing dot. */
  readonly fqdn: string;
  readonly status: DomainStatus;
  /** Expected in a TXT record as proof of ownership. */
  readonly token: string;
  /** Whether the owner's new links use it; only if active. */
  readonly isDefault: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Null if it was never active. */
  readonly lastVerifiedAt: Date | null;
  /** When its record disappeared, while active or suspended. */
  readonly failingSince: Date | null;
  readonly error: string | null;
  readonly notes: readonly string[];
  readonly revision: number;
}

/** Absent keys keep their value. */
export type DomainChange = Partial<DomainSettings> & { readonly isDefault?: boolean };

export type KnownDomain = DomainSettings &
  Pick<Domain, 'id' | 'ownerId' | 'fqdn' | 'status' | 'isDefault' | 'revision'>;

/** Whether requests for the name are answered, including revoked domains. */
export function answersFor({ status }: Pick<Domain, 'status'>): boolean {
  return status !== 'pending';
}

export function isHeld({ status }: Pick<Domain, 'status'>): boolean {
  return status === 'active' || status === 'suspended';
}
