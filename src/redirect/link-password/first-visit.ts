import type { Request } from 'express';
import { clickCampaign } from '../../common/campaign';
import { parseUrl } from '../../config/url';
import { clickReferer } from '../click-details';
import { withoutPassword } from '../forwarded-query';
import { isOfQrCode, QR_PAIR } from '../visit-flags';

export const REFERRER_FIELD = 'referrer';

const MAX_REFERRER_LENGTH = 8192;

export interface FirstVisit {
  /** Query without `?`: campaign and QR code parameters, or all but the password if forwarded. */
  readonly query: string;
  readonly referer: string | undefined;
}

/**
 * Restores the first visit's campaign and referrer, because the form was sent from a page on this
 * service. Visitors can forge both values, but no more than with a direct request.
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

/** Raw query, without `?`. */
export function rawQuery({ originalUrl }: Request): string {
  return originalUrl.split('?').slice(1).join('?');
}

function referrerField({ body }: { body?: unknown }): string | undefined {
  const fields = typeof body === 'object' && body !== null ? { ...body } : {};
  const { [REFERRER_FIELD]: value }: Record<string, unknown> = fields;
  return typeof value === 'string' && value.length <= MAX_REFERRER_LENGTH ? value : undefined;
}

/** Compares only hosts, because the scheme is unknown behind a proxy. */
function isOwnReferer(referer: string, ours: readonly string[]): boolean {
  const host = parseUrl(referer)?.host;
  return host !== undefined && ours.some((url) => parseUrl(url)?.host === host);
}
