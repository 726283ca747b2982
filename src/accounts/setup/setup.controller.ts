import {
  Body,
  Controller,
  Get,
  Header,
  Post,
  Query,
  Redirect,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { TakesForms } from '../../common/http/taken-body';
import { AccountPageFilter } from '../pages/account-page.filter';
import type { Onward } from '../pages/account-pages.service';
import { OwnFormGuard } from '../pages/own-form.guard';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { CurrentOrigin, SessionCookies } from '../sessions/session-cookies';
import { SetupService } from './setup.service';

@ApiExcludeController()
@Controller('setup')
@Access.public()
@RateLimit('auth.setup')
@TakesForms()
@UseGuards(OwnFormGuard)
@UseFilters(AccountPageFilter)
@UseInterceptors(SessionCookies)
export class SetupController {
  constructor(private readonly service: SetupService) {}

  @Get()
  @SendsResult()
  @Header('Referrer-Policy', 'same-origin')
  show(@Query('token') token: unknown): Promise<HttpResult> {
    return this.service.show(token);
  }

  @Post()
  @Redirect()
  @Header('Referrer-Policy', 'same-origin')
  create(
    @Body() body: unknown,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<Onward>> {
    return this.service.create(body, origin);
  }
}
