import { Controller, Post, Redirect, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type express from 'express';
import { OwnFormGuard } from '../../accounts/pages/own-form.guard';
import { Access, type Caller, CurrentCaller } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ClaimCookie, CurrentClaims } from '../../links/claim/claim-cookie';
import type { ClaimDto } from '../../links/claim/claim.dto';
import { ClaimService } from '../../links/claim/claim.service';

const to = (url: string) => ({ url, statusCode: 303 }) as const;

/** Moves the browser's anonymous links to the signed-in account. */
@ApiExcludeController()
@Controller('dashboard/claim')
@Access.page({ liveSession: true })
@UseGuards(OwnFormGuard)
export class ClaimFormController {
  constructor(
    private readonly service: ClaimService,
    private readonly cookie: ClaimCookie,
  ) {}

  @Post()
  @Redirect()
  @RateLimit('links.claim')
  async claim(
    @CurrentCaller() { principal }: Caller,
    @CurrentClaims() claims: ClaimDto[],
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<{ url: string; statusCode: 303 }> {
    if (principal === null) return to(`/login?next=${encodeURIComponent('/dashboard')}`);
    if (!principal.emailVerified) return to('/register/verify');
    await this.service.claim(claims, principal.ownerId);
    this.cookie.clear(response);
    return to('/dashboard/links');
  }
}
