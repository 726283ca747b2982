export const DOMAIN_STATUSES = ['pending', 'active', 'suspended', 'revoked'] as const;

export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

/** JSON text, served unchanged (docs/contract.md#25.1). */
export interface AppLinks {
  readonly apple: string | null;
  readonly android: string | null;
}

/** The DNS records of a domain at its last check. */
export interface DnsFindings {
  /** Values of the TXT record; null if DNS did not respond. */
  readonly texts: readonly string[] | null;
  /** Null if DNS did not respond, so that they cannot be compared. */
  readonly addresses: readonly string[] | null;
  /** Whether all addresses belong to this service. */
  readonly matches: boolean;
}

export interface DomainSettings {
  /** Redirect target of `/`; null shows an error page. */
  readonly rootRedirect: string | null;
  /** Redirect target for unknown aliases and paths; null shows an error page. */
  readonly notFoundRedirect: string | null;
  /** Content of robots.txt; null serves the robots.txt for BASE_URL's host. */
  readonly robots: string | null;
  readonly appLinks: AppLinks | null;
}

export interface Domain extends DomainSettings {
  readonly id: string;
  /** The domain's own id if the owner's account was deleted. */
  readonly ownerId: string;
  /** Host name as lower-case A-labels, without a final dot. */
  readonly fqdn: string;
  readonly status: DomainStatus;
  /** Token that a TXT record must contain to prove ownership. */
  readonly token: string;
  /** Whether the owner's new links use this domain; only active domains can be the default. */
  readonly isDefault: boolean;
  /** Whether all accounts may create links on the domain (docs/contract.md#36). */
  readonly isShared: boolean;
  /** Whether the domain is or was shared, so that other accounts may have links on it. */
  readonly wasShared: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Null if the domain was never active. */
  readonly lastVerifiedAt: Date | null;
  /** When the DNS record disappeared, while the domain is active or suspended. */
  readonly failingSince: Date | null;
  readonly error: string | null;
  /** Null before the first check. */
  readonly dns: DnsFindings | null;
  readonly revision: number;
}

/** A missing key leaves its value unchanged. */
export type DomainChange = Partial<DomainSettings> & {
  readonly isDefault?: boolean;
  readonly isShared?: boolean;
};

export type NewDomain = Pick<Domain, 'ownerId' | 'fqdn' | 'token'> & { readonly id?: string };

export interface CheckedDomain {
  readonly status?: 'active' | 'suspended';
  readonly lastVerifiedAt?: Date;
  readonly failingSince?: Date | null;
  readonly error: string | null;
  readonly dns: DnsFindings | null;
}

export interface DomainSearch {
  /** Part of the name. */
  readonly text?: string;
  readonly status?: DomainStatus;
  readonly isShared?: boolean;
}

export type KnownDomain = DomainSettings &
  Pick<
    Domain,
    'id' | 'ownerId' | 'fqdn' | 'status' | 'isDefault' | 'isShared' | 'wasShared' | 'revision'
  >;

/** False if the owner's account was deleted; other accounts may still have links on the domain. */
export function hasOwner({ id, ownerId }: Pick<Domain, 'id' | 'ownerId'>): boolean {
  return ownerId !== id;
}

/** Whether the service responds to requests for the domain; also true for revoked domains. */
export function answersFor({ status }: Pick<Domain, 'status'>): boolean {
  return status !== 'pending';
}

export function isHeld({ status }: Pick<Domain, 'status'>): boolean {
  return status === 'active' || status === 'suspended';
}
