import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { Operation, Returns } from '../common/http/route.decorators';
import { CodeParam } from '../common/openapi/properties';
import { HttpOptions } from '../config/options';
import { UnknownLinkError } from '../stores/links/link.errors';
import type { GeoRules } from '../destinations/destinations';
import { isExpired, isScheduled, reportedStatus } from '../stores/links/link';
import { shortUrl } from '../links/making/link.response';
import { LinkPagesService } from './link-pages.service';
import { PreviewDestination, PublicPreviewResponse, REPORTED } from './public-preview.response';

/** Preview for programs. Counts no click and reveals nothing about the owner. */
@ApiTags('Links')
@Controller('api/v1/public/preview')
@Access.public()
export class PublicPreviewController {
  constructor(
    private readonly links: LinkPagesService,
    private readonly http: HttpOptions,
  ) {}

  @Get(':code')
  @RateLimit('links.public-preview')
  @Operation({
    id: 'previewPublicLink',
    summary: 'Preview a short link as JSON',
    description: 'Returns the destination, without redirecting or counting a click.',
  })
  @CodeParam()
  @Returns(200, PublicPreviewResponse, 'The link, in any status', 404)
  async show(@Param('code') code: string): Promise<PublicPreviewResponse> {
    const link = await this.links.findAny(code);
    const now = Date.now();
    // A scheduled link must not be revealed before its start.
    if (isScheduled(link, now) && link.preStartUrl === null) throw new UnknownLinkError('address');
    const isOver = isExpired(link, now) || link.closedByLimit || link.isUsedUp === true;
    const status = REPORTED[reportedStatus(link, now)];
    const isShown = status === 'active' && !isOver && link.passwordHash === null;
    return {
      generation: link.generation,
      alias: link.alias,
      short_url: shortUrl(this.http.baseUrl, link.alias),
      status: isOver && status !== 'blocked' ? 'expired' : status,
      created_at: link.createdAt.toISOString(),
      password_protected: link.passwordHash !== null,
      destination: isShown ? toPreviewDestination(link.longUrl) : null,
      geo_destinations: isShown ? toGeoDestinations(link.destinations.geoRules) : null,
    };
  }
}

function toGeoDestinations(geoRules: GeoRules | null): Record<string, PreviewDestination> | null {
  if (geoRules === null) return null;
  const byCountry = Object.entries(geoRules).map(([code, url]) => [
    code,
    toPreviewDestination(url),
  ]);
  return Object.fromEntries(byCountry) as Record<string, PreviewDestination>;
}

function toPreviewDestination(longUrl: string): PreviewDestination {
  const { hostname, pathname, search, protocol } = new URL(longUrl);
  const is_https = protocol === 'https:';
  return { url: longUrl, domain: hostname, path: pathname + search, is_https };
}
