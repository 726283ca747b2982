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

/** Settings that hold every address that a link can lead to. */
const ADDRESS_SETTINGS = [
  'longUrl',
  'preStartUrl',
  'expiredRedirectUrl',
  'destinations',
] as const satisfies readonly (keyof LinkSettings)[];

export type AddressSettings = Pick<LinkSettings, (typeof ADDRESS_SETTINGS)[number]>;

/** Whether a change says where a link leads. */
export function changesAddresses(change: LinkChange): boolean {
  return ADDRESS_SETTINGS.some((setting) => change[setting] !== undefined);
}

/** The part of destinations that addresses are. */
interface DestinationAddresses {
  readonly rules: readonly Pick<NewRule, 'to'>[];
  readonly geoRules: GeoRules | null;
  readonly abVariants: readonly Pick<NewVariant, 'url'>[];
}

/** Every address that a link can lead to. */
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

/** The host of an address, in lower case and without a dot at its end; empty where there is none. */
export function hostOfAddress(address: string): string {
  const host = parseUrl(address)?.hostname.toLowerCase() ?? '';
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/** The hosts that an address leads to; one for an app has those of the web addresses in it, too. */
export function hostsOfAddress(address: string): string[] {
  return [address, ...nestedUrls(address)].map(hostOfAddress).filter((host) => host !== '');
}

/**
 * A host as links store it: with its labels from the last to the first and a dot behind each, so that
 * it and all hosts below it are the texts that begin with it.
 */
export function toStoredHost(host: string): string {
  return `${reversed(host)}.`;
}

/** The host that is stored so. */
export function hostOfStored(stored: string): string {
  return reversed(stored.slice(0, -1));
}

/** The hosts of a link's addresses, each once, as they are stored. */
export function toStoredHosts(link: AddressSettings): string[] {
  const hosts = addressesOfLink(link)
    .flatMap(hostsOfAddress)
    .filter((host) => host.length <= MAX_HOST_NAME);
  return [...new Set(hosts.map(toStoredHost))].sort();
}

/** The addresses that a link has after a change. */
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
