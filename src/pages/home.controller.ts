import { Controller, Get, Redirect } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { PageResponse } from '../common/http/page';
import { Operation } from '../common/openapi/operation.decorator';
import { HttpOptions, SiteOptions } from '../config/options';
import { closedHomePage, homePage } from './home-page';

/** The way in (docs/contract.md#13.5). */
@ApiTags('Pages')
@Controller()
@Access.public()
@RateLimit.none()
export class HomeController {
  constructor(
    private readonly site: SiteOptions,
    private readonly http: HttpOptions,
  ) {}

  @Get()
  @Operation({
    id: 'showHomePage',
    summary: 'The form that shortens',
    description: 'For people. It is sent to POST /.',
  })
  @PageResponse('The shortening form')
  home(): string {
    return this.site.anonymousLinks ? homePage(this.http.baseUrl) : closedHomePage();
  }

  /** Accounts have an API and no pages: these addresses lead to the form. */
  @Get(['login', 'register', 'signup'])
  @Redirect('/', 302)
  @ApiExcludeEndpoint()
  toHome(): void {
    // The decorator says it all.
  }
}
