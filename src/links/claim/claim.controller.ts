import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { Attempt } from '../../idempotency/attempt';
import { CurrentAttempt, Retryable } from '../../idempotency/retryable.decorator';
import { Operation, Returns } from '../../common/http/route.decorators';
import { ClaimLinksDto } from './claim.dto';
import { ClaimService } from './claim.service';
import { ClaimedLinksResponse } from './claim.response';

@ApiTags('Links')
@Controller('api/v1/urls/claim')
@Access('urls:manage')
export class ClaimController {
  constructor(private readonly service: ClaimService) {}

  @Post()
  @RateLimit('links.claim')
  @Retryable()
  @Operation({
    id: 'claimLinks',
    summary: 'Claim links created without an account',
    description:
      'Uses claim tokens to assign ownerless links to your account. Each item is processed separately. Links keep their aliases and clicks.',
    examples: {
      one: {
        summary: 'A link and the token from its creation',
        value: {
          claims: [
            {
              url_id: '665f1c0e8b3a4d0012ab34cd',
              token: '8HJ1b9p0vGq2wTn5yXkR3mZc7dLf4sAeUoIhWgQxCjM',
            },
          ],
        },
      },
    },
  })
  @Returns(200, ClaimedLinksResponse, 'A verdict for each item')
  claim(
    @Body() { claims }: ClaimLinksDto,
    @CurrentPrincipal() { ownerId }: Principal,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return this.service.claim(claims, ownerId, attempt);
  }
}
