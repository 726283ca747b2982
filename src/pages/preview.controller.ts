import { Controller, Get, Header, Injectable, Param, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, type Caller, CurrentCaller, CurrentViewer } from '../auth/access';
import { requestedDomain } from '../common/requested-domain';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, MayLeadElsewhere, Operation } from '../common/http/route.decorators';
import {
  html,
  type Html,
  page,
  PageResponse,
  pageRoot,
  reportLink,
  type Viewer,
  visibleText,
} from '../common/http/page';
import { CodeParam } from '../common/openapi/properties';
import { conditionsInWords, countryWords } from '../destinations/wording';
import { type LinkAddress, LinkAddresses } from '../stores/domains/link-addresses';
import type { RememberedLink } from '../stores/links/link';
import type { Diversion } from '../redirect/diversion';
import { LinkPagesService } from './link-pages.service';

interface PreviewOptions {
  /** Current target if it is not the destination. The page shows it without a password. */
  readonly diversion: Diversion | null;
  readonly viewer: Viewer | null;
  readonly isOwner: boolean;
  readonly root: string;
}

/** Shows where a short link leads (docs/contract.md#8.3), unless the link has a password. */
function previewPage(
  link: RememberedLink,
  { alias, domain, shortUrl: address }: LinkAddress,
  { diversion, viewer, isOwner, root }: PreviewOptions,
): string {
  const url = diversion?.url ?? (link.passwordHash === null ? link.longUrl : null);
  const code = encodeURIComponent(alias);
  // Statistics pages belong to v0, which serves only links on the host of BASE_URL.
  const isShown = domain === null && (isOwner || !link.privateStats);
  const statistics = isShown ? `/stats/${code}` : null;
  return page(
    'Preview',
    html`<section class="card">
      <h1>Preview</h1>
      <p class="address" dir="ltr">${address}</p>
      ${url === null ? locked() : shownDestination(url)}
      ${link.passwordHash === null && diversion === null && otherDestinations(link)}
      <p class="actions">
        <a class="button" href="/${code}" rel="nofollow">Open</a>
        ${statistics !== null && html`<a class="button quiet" href="${statistics}">Statistics</a>`}
      </p>
      <p class="onward">${reportLink(address, root)}</p>
    </section>`,
    { viewer, statistics, root },
  );
}

function shownDestination(url: string): Html {
  return html`<dl>
    <dt>Leads to</dt>
    <dd class="host" dir="ltr">${new URL(url).host}</dd>
    <dt>Full address</dt>
    <dd class="destination" dir="ltr">${visibleText(url)}</dd>
  </dl>`;
}

function otherDestinations({ destinations, expiredRedirectUrl }: RememberedLink): Html | false {
  const { rules, geoRules, abVariants } = destinations;
  const shown = [
    ...rules.map(({ when, to }) => [conditionsInWords(when), to] as const),
    ...Object.entries(geoRules ?? {}).map(
      ([code, url]) => [`Country is ${countryWords(code)}`, url] as const,
    ),
    ...abVariants.map(({ weight, url }) => [`${weight} % of other visitors`, url] as const),
    ...(expiredRedirectUrl === null ? [] : [['After it expires', expiredRedirectUrl] as const]),
  ];
  if (shown.length === 0) return false;
  return html`<p>
      Some visitors are sent to other destinations. The first condition that applies decides:
    </p>
    <dl>
      ${shown.map(
        ([words, url]) =>
          html`<dt>${visibleText(words)}</dt>
            <dd class="destination" dir="ltr">${visibleText(url)}</dd>`,
      )}
    </dl>`;
}

function locked(): Html {
  return html`<p>This link is protected by a password, so its destination is not shown.</p>`;
}

@Injectable()
export class PreviewService {
  constructor(
    private readonly links: LinkPagesService,
    private readonly addresses: LinkAddresses,
  ) {}

  async show(
    code: string,
    { ownerId }: Caller,
    viewer: Viewer | null,
    request: object,
  ): Promise<string> {
    const { link, diversion } = await this.links.find(code, requestedDomain(request)?.id);
    const isOwner = ownerId !== null && link.ownerId === ownerId;
    const occasion = { diversion, viewer, isOwner, root: pageRoot(request) };
    return previewPage(link, this.addresses.find(link.alias), occasion);
  }
}

@ApiTags('Pages')
@Controller()
@Access.page()
export class PreviewController {
  constructor(private readonly service: PreviewService) {}

  @Get(':code\\+')
  @RateLimit('pages.preview')
  @Header('X-Robots-Tag', 'noindex, nofollow')
  @Operation({
    id: 'previewLink',
    summary: 'See where a short link leads',
    description:
      'Shows a page with the destination, without redirecting or counting a click. For password-protected links, the destination is hidden.',
  })
  @CodeParam()
  @PageResponse('The preview')
  @MayLeadElsewhere()
  @ApiErrors(404, 410)
  show(
    @Param('code') code: string,
    @CurrentCaller() caller: Caller,
    @CurrentViewer() viewer: Viewer | null,
    @Req() request: object,
  ): Promise<string> {
    return this.service.show(code, caller, viewer, request);
  }
}
