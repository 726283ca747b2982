import { hostName } from '../../common/host';
import { parseUrl } from '../../config/url';
import { addressesOf } from '../../destinations/destination-rules';
import type { LinkSettings } from '../../link-store/link';

type Leading = Pick<
  LinkSettings,
  'destinations' | 'expiredRedirectUrl' | 'longUrl' | 'preStartUrl'
>;

/** The hosts of all addresses that a link can lead to, each once, as the DNS knows them. */
export function hostsOf({
  longUrl,
  preStartUrl,
  expiredRedirectUrl,
  destinations,
}: Leading): string[] {
  const urls = [
    longUrl,
    preStartUrl ?? '',
    expiredRedirectUrl ?? '',
    ...addressesOf(destinations).map(({ url }) => url),
  ];
  const hosts = urls.map((url) => hostName(parseUrl(url)?.hostname ?? ''));
  return [...new Set(hosts)].filter((host) => host !== '');
}
