import type { Request } from 'express';
import { clickCampaign } from '../../common/campaign';
import { parseUrl } from '../../config/url';
import { clickReferer } from '../click-details';
import { withoutPassword } from '../forwarded-query';
import { isOfQrCode, QR_PAIR } from '../visit-flags';

/** The form's field for the referrer of the visit that was asked for the password. */
export const REFERRER_FIELD = 'referrer';

/** Forms carry no longer texts than headers could. */
const MAX_REFERRER_LENGTH = 8192;

/** The visit that was asked for the link's password, for the click that comes of it. */
export interface FirstVisit {
  /**
   * Query of the visited short URL without `?`: campaign and mark of the QR code; all but a password
   * where the link forwards it.
   */
  readonly query: string;
  readonly referer: string | undefined;
}

/**
 * Campaign and referrer of the visit that the form comes from (docs/contract.md#8.2): the form is
 * sent from a page of ours, so that its own Referer says nothing. The campaign stands in the address
 * that the form is sent to, the referrer in a field. Neither can hold more than a visitor's own
 * request can.
 *
 * @param forwardsQuery whether the destination gets the rest of the query, too
 */
export function toFirstVisit(
  request: Request,
  baseUrl: string,
  forwardsQuery: boolean,
): FirstVisit {
  const query = rawQuery(request);
  const { headers } = request;
  const named = referrerField(request) ?? headers.referer;
  const referer = clickReferer(named) || undefined;
  return {
    query: forwardsQuery
      ? withoutPassword(query)
      : [clickCampaign(query), isOfQrCode(query) ? QR_PAIR : ''].filter(Boolean).join('&'),
    referer:
      referer === undefined || isOwnReferer(referer, [baseUrl, `http://${headers.host ?? ''}`])
        ? undefined
        : referer,
  };
}

/** The query of a request as it came, without `?`. */
export function rawQuery({ originalUrl }: Request): string {
  return originalUrl.split('?').slice(1).join('?');
}

function referrerField({ body }: { body?: unknown }): string | undefined {
  const fields = typeof body === 'object' && body !== null ? { ...body } : {};
  const { [REFERRER_FIELD]: value }: Record<string, unknown> = fields;
  return typeof value === 'string' && value.length <= MAX_REFERRER_LENGTH ? value : undefined;
}

/** Behind a proxy the scheme that a page was asked for with is not known. */
function isOwnReferer(referer: string, ours: readonly string[]): boolean {
  const host = parseUrl(referer)?.host;
  return host !== undefined && ours.some((url) => parseUrl(url)?.host === host);
}
