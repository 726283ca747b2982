import { Controller, Get, Injectable, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, type Caller, CurrentCaller, CurrentViewer } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors, Operation } from '../../common/http/route.decorators';
import { html, type Html, page, PageResponse, type Viewer } from '../../common/http/page';
import { CodeParam } from '../../common/openapi/properties';
import { formPath, site } from '../../common/site';
import { HttpOptions } from '../../config/options';
import type { RememberedLink } from '../../stores/links/link';
import { CurrentClaims } from '../../links/claim/claim-cookie';
import type { ClaimDto } from '../../links/claim/claim.dto';
import { shortUrl } from '../../links/making/link.response';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { LinkGoneError } from '../../redirect/redirect.errors';
import { LinkPagesService } from '../../pages/link-pages.service';
import { formatCount, utcMinute } from '../../pages/wording';

interface ResultView {
  readonly viewer: Viewer | null;
  readonly isOwner: boolean;
  /** Whether the link has no owner and the browser has the claim token. */
  readonly isClaimable: boolean;
}

function resultPage(
  link: RememberedLink,
  baseUrl: string,
  { viewer, isOwner, isClaimable }: ResultView,
): string {
  const address = shortUrl(baseUrl, link.alias);
  const code = encodeURIComponent(link.alias);
  const statistics = isOwner || !link.privateStats ? `/stats/${code}` : null;
  return page(
    'Your short link',
    html`<section class="card">
      <h1>Your short link</h1>
      <p class="address"><a id="short-url" href="/${code}" rel="nofollow">${address}</a></p>
      <div id="by-hand">
        <label for="copy-field">Copy this link</label>
        <input id="copy-field" type="text" readonly dir="ltr" value="${address}" />
      </div>
      <p class="actions" id="handy" hidden>
        <button id="copy" type="button">Copy</button>
        <button id="share" type="button" class="quiet" hidden>Share</button>
      </p>
      <p id="copied" class="hint" role="status"></p>
      ${link.passwordHash !== null && html`<p>Visitors have to enter the password.</p>`}
      ${closing(link) !== '' && html`<p>The link closes ${closing(link)}.</p>`}
      ${qrCode(link.alias)}
      <p class="actions">
        <a class="button quiet" href="/${code}" rel="nofollow">Open</a>
        ${statistics !== null && html`<a class="button quiet" href="${statistics}">Statistics</a>`}
      </p>
      ${link.ownerId === null && viewer === null && !isClaimable && keeping()}
      ${isClaimable && claimNotice(code, viewer)}
      <p class="onward">
        <a href="${formPath()}">Shorten another</a>
        <a href="/${code}+">Preview</a>
        ${isOwner && html`<a href="/dashboard/links/${link.id}">Change link</a>`}
      </p>
    </section>`,
    { script: 'copy.js', viewer, statistics },
  );
}

function qrCode(alias: string): Html {
  const path = `/${encodeURIComponent(alias)}/qr`;
  return html`<div class="qr">
    <img src="${path}.svg" width="132" height="132" alt="QR code of the short link" />
    <div>
      <p class="hint">Download it for print and slides:</p>
      <p class="actions">
        <a class="button quiet" href="${path}.svg" download="${alias}.svg">SVG</a>
        <a href="${path}.png?size=1024" download="${alias}.png" class="button quiet">PNG</a>
      </p>
    </div>
  </div>`;
}

/** Recommends an account, because a link without an owner cannot be changed. */
function keeping(): Html | null {
  if (site().registration === 'closed') return null;
  return html`<p class="notice">
    This link has no owner: its statistics are public, and it cannot be changed.
    <a href="/register">Sign up</a> to manage your own links.
  </p>`;
}

function claimNotice(code: string, viewer: Viewer | null): Html {
  return html`<div class="notice">
    <p>This link has no owner. Add it to your account to manage it.</p>
    ${
      viewer === null
        ? html`<p class="actions">
            <a class="button quiet" href="/login?next=${encodeURIComponent(`/result/${code}`)}"
              >Sign in to keep this link</a
            >
          </p>`
        : html`<form method="post" action="/dashboard/claim">
            <button type="submit" class="quiet">Keep this link</button>
          </form>`
    }
  </div>`;
}

/** Text about the time when the link closes; empty if it never does. */
function closing({ maxClicks, expireAfter }: RememberedLink): string {
  const after = maxClicks === null ? [] : [`after ${formatCount(maxClicks, 'click')}`];
  const at = expireAfter === null ? [] : [`on ${utcMinute(expireAfter)}`];
  return [...after, ...at].join(', or ');
}

/** Throws the same error for closed and unknown links (docs/contract.md#13.5). */
@Injectable()
export class ResultService {
  constructor(
    private readonly links: LinkPagesService,
    private readonly http: HttpOptions,
  ) {}

  async show(
    code: string,
    { ownerId }: Caller,
    viewer: Viewer | null,
    claims: readonly ClaimDto[],
  ): Promise<string> {
    try {
      const { link, diversion } = await this.links.find(code);
      if (diversion !== null) throw new LinkGoneError();
      const isOwner = ownerId !== null && link.ownerId === ownerId;
      const isClaimable = link.ownerId === null && claims.some(({ url_id }) => url_id === link.id);
      return resultPage(link, this.http.baseUrl, { viewer, isOwner, isClaimable });
    } catch (error) {
      throw error instanceof LinkGoneError ? new UnknownLinkError('address') : error;
    }
  }
}

@ApiTags('Pages')
@Controller('result')
@Access.page()
@RateLimit.none()
export class ResultController {
  constructor(private readonly service: ResultService) {}

  @Get(':code')
  @Operation({
    id: 'showResultPage',
    summary: 'Show the page after shortening',
    description: 'Shows a page with the short URL to copy.',
  })
  @CodeParam()
  @PageResponse('The short URL')
  @ApiErrors(404)
  show(
    @Param('code') code: string,
    @CurrentCaller() caller: Caller,
    @CurrentViewer() viewer: Viewer | null,
    @CurrentClaims() claims: ClaimDto[],
  ): Promise<string> {
    return this.service.show(code, caller, viewer, claims);
  }
}
