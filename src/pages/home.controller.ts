import { Controller, Get, Redirect } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access.decorator';
import { RateLimit } from '../access/rate-limit.decorator';
import { PageResponse } from '../http/page-answer';
import { homePage } from './home-page';

/** The way in (contract 13.5). */
@ApiTags('Pages')
@Controller()
@Access.public()
@RateLimit.none()
export class HomeController {
  @Get()
  @PageResponse('The shortening form')
  home(): string {
    return homePage();
  }

  /** Accounts have an API and no pages: these addresses lead to the form. */
  @Get(['dashboard', 'login', 'register', 'signup'])
  @Redirect('/', 302)
  @ApiExcludeEndpoint()
  toHome(): void {
    // The decorator says it all.
  }
}
