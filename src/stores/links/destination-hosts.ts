import { MAX_HOST_NAME } from '../../common/host';
import { parseUrl } from '../../config/url';
import type {
  GeoRules,
  NewDestinations,
  NewRule,
  NewVariant,
} from '../../destinations/destinations';
import type { LinkChange, LinkSettings } from './link';
import { nestedUrls } from './nested-urls';

const ADDRESS_SETTINGS = [
  'longUrl',
  'preStartUrl',
  'expiredRedirectUrl',
  'destinations',
] as const satisfies readonly (keyof LinkSettings)[];

export type AddressSettings = Pick<LinkSettings, (typeof ADDRESS_SETTINGS)[number]>;

export function changesAddresses(change: LinkChange): boolean {
  return ADDRESS_SETTINGS.some((setting) => change[setting] !== undefined);
}

interface DestinationAddresses {
  readonly rules: readonly Pick<NewRule, 'to'>[];
  readonly geoRules: GeoRules | null;
  readonly abVariants: readonly Pick<NewVariant, 'url'>[];
}

/** Returns all addresses that a link may redirect to, including before start and after expiry. */
export function addressesOfLink({
  longUrl,
  preStartUrl,
  expiredRedirectUrl,
  destinations: { rules, geoRules, abVariants },
}: Omit<AddressSettings, 'destinations'> & {
  readonly destinations: DestinationAddresses;
}): string[] {
  return [
    longUrl,
    ...(preStartUrl === null ? [] : [preStartUrl]),
    ...(expiredRedirectUrl === null ? [] : [expiredRedirectUrl]),
    ...abVariants.map(({ url }) => url),
    ...Object.values(geoRules ?? {}),
    ...rules.map(({ to }) => to),
  ];
}

/** Returns the host in lower case, without a final dot; empty if there is none. */
export function hostOfAddress(address: string): string {
  const host = parseUrl(address)?.hostname.toLowerCase() ?? '';
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/** Returns an address's host, and the hosts of web URLs nested in an app address. */
export function hostsOfAddress(address: string): string[] {
  return [address, ...nestedUrls(address)].map(hostOfAddress).filter((host) => host !== '');
}

/** Reverses the labels and appends a dot, so that a host is a prefix of all its subdomains. */
export function toStoredHost(host: string): string {
  return `${reversed(host)}.`;
}

export function hostOfStored(stored: string): string {
  return reversed(stored.slice(0, -1));
}

export function toStoredHosts(link: AddressSettings): string[] {
  const hosts = addressesOfLink(link)
    .flatMap(hostsOfAddress)
    .filter((host) => host.length <= MAX_HOST_NAME);
  return [...new Set(hosts.map(toStoredHost))].sort();
}

export function addressesAfter(
  before: AddressSettings,
  { longUrl, preStartUrl, expiredRedirectUrl }: LinkChange,
  destinations: NewDestinations,
): AddressSettings {
  return {
    longUrl: longUrl ?? before.longUrl,
    preStartUrl: preStartUrl === undefined ? before.preStartUrl : preStartUrl,
    expiredRedirectUrl:
      expiredRedirectUrl === undefined ? before.expiredRedirectUrl : expiredRedirectUrl,
    destinations,
  };
}

function reversed(host: string): string {
  return host.split('.').reverse().join('.');
}
