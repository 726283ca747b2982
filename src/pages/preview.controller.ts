import { Controller, Get, Header, Injectable, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator';
import { type Caller, CurrentCaller, CurrentViewer } from '../auth/caller';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { html, type Html, visibleText } from '../common/http/html';
import { page, PageResponse, reportLink, type Viewer } from '../common/http/page';
import { Operation } from '../common/openapi/operation.decorator';
import { CodeParam } from '../common/openapi/properties';
import { HttpOptions } from '../config/options';
import type { RememberedLink } from '../link-store/link';
import { shortUrl } from '../links/link.response';
import type { Diversion } from '../redirect/visit-steps';
import { LinkPagesService } from './link-pages.service';

interface PreviewOptions {
  /** Where the link leads now if not to its destination; no password is asked for that. */
  readonly diversion: Diversion | null;
  readonly viewer: Viewer | null;
  readonly isOwner: boolean;
}

/** Where a short link leads (docs/contract.md#8.3); a password link keeps that to itself. */
function previewPage(
  link: RememberedLink,
  baseUrl: string,
  { diversion, viewer, isOwner }: PreviewOptions,
): string {
  const url = diversion?.url ?? (link.passwordHash === null ? link.longUrl : null);
  const code = encodeURIComponent(link.alias);
  const address = shortUrl(baseUrl, link.alias);
  const statistics = isOwner || !link.privateStats ? `/stats/${code}` : null;
  const report = reportLink(address);
  return page(
    'Preview',
    html`<section class="card">
      <h1>Preview</h1>
      <p class="address" dir="ltr">${address}</p>
      ${url === null ? locked() : shownDestination(url)}
      <p class="actions">
        <a class="button" href="/${code}" rel="nofollow">Go there</a>
        ${statistics !== null && html`<a class="button quiet" href="${statistics}">Statistics</a>`}
      </p>
      ${report && html`<p class="onward">${report}</p>`}
    </section>`,
    { viewer, statistics },
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

function locked(): Html {
  return html`<p>This link is protected by a password, so its destination is not shown.</p>`;
}

/** GET /{code}+ (docs/contract.md#8.3). */
@Injectable()
export class PreviewService {
  constructor(
    private readonly links: LinkPagesService,
    private readonly http: HttpOptions,
  ) {}

  async show(code: string, { ownerId }: Caller, viewer: Viewer | null): Promise<string> {
    const { link, diversion } = await this.links.find(code);
    const isOwner = ownerId !== null && link.ownerId === ownerId;
    return previewPage(link, this.http.baseUrl, { diversion, viewer, isOwner });
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
      'A page with the destination, without following the link or counting a click. A link with a password keeps its destination to itself.',
  })
  @CodeParam()
  @PageResponse('The preview')
  @ApiErrors(404, 410)
  show(
    @Param('code') code: string,
    @CurrentCaller() caller: Caller,
    @CurrentViewer() viewer: Viewer | null,
  ): Promise<string> {
    return this.service.show(code, caller, viewer);
  }
}
