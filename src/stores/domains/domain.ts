export const DOMAIN_STATUSES = ['pending', 'active', 'suspended', 'revoked'] as const;

export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

/** Files for apps, each as the JSON text that is served (docs/contract.md#25.1). */
export interface AppLinks {
  readonly apple: string | null;
  readonly android: string | null;
}

/** Settings that its owner chooses. */
export interface DomainSettings {
  /** Where `/` leads; null = an error page. */
  readonly rootRedirect: string | null;
  /** Where codes and paths lead that there are not; null = an error page. */
  readonly notFoundRedirect: string | null;
  /** Contents of its robots.txt; null = those of BASE_URL's host. */
  readonly robots: string | null;
  readonly appLinks: AppLinks | null;
}

/** A host name of an account, under which its links are reached (docs/contract.md#25). */
export interface Domain extends DomainSettings {
  readonly id: string;
  readonly ownerId: string;
  /** In the form of the DNS: A-labels in lower case, without a dot at the end. */
  readonly fqdn: string;
  readonly status: DomainStatus;
  /** Proves, in a TXT record, that the name is the owner's. */
  readonly token: string;
  /** Whether new links of the owner lie here; an active one alone. */
  readonly isDefault: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Null while it was never active. */
  readonly lastVerifiedAt: Date | null;
  /** Since when its record is gone, while it is active or suspended. */
  readonly failingSince: Date | null;
  /** How the last check failed, in a sentence. */
  readonly error: string | null;
  /** Sentences about where the name leads in DNS, as the last check found it. */
  readonly notes: readonly string[];
  /** Rises with each change. */
  readonly revision: number;
}

/** Differences that a domain is to get; an absent key stays. */
export type DomainChange = Partial<DomainSettings> & { readonly isDefault?: boolean };

/** A domain as web processes hold it in memory. */
export type KnownDomain = DomainSettings &
  Pick<Domain, 'id' | 'ownerId' | 'fqdn' | 'status' | 'isDefault' | 'revision'>;

/** Whether the name is answered here, be it that it is not served any more. */
export function answersFor({ status }: Pick<Domain, 'status'>): boolean {
  return status !== 'pending';
}

/** Whether nobody else can have the name at that time. */
export function isHeld({ status }: Pick<Domain, 'status'>): boolean {
  return status === 'active' || status === 'suspended';
}
