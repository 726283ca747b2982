import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentViewer } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { MayLeadElsewhere, Operation } from '../../common/http/route.decorators';
import { PageResponse, type Viewer } from '../../common/http/page';
import { HttpOptions, SiteOptions } from '../../config/options';
import { closedHomePage, homePage } from './home-page';

@ApiTags('Pages')
@Controller()
@Access.page()
@RateLimit.none()
export class HomeController {
  constructor(
    private readonly site: SiteOptions,
    private readonly http: HttpOptions,
  ) {}

  @Get()
  @Operation({
    id: 'showHomePage',
    summary: 'Show the home page',
    description: 'Shows a page with the form that posts to `/`.',
  })
  @PageResponse('The shortening form')
  @MayLeadElsewhere()
  home(@CurrentViewer() viewer: Viewer | null): string {
    return this.site.anonymousLinks || viewer !== null
      ? homePage(this.http.baseUrl, viewer)
      : closedHomePage(this.http.baseUrl);
  }
}
