import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY } from '../../common/openapi/properties';
import { CLAIM_STATUSES, type ClaimStatus } from './claim.dto';

class ClaimedLinkResponse {
  @ApiProperty({ description: 'As it was sent', example: ID_PROPERTY.example }) url_id!: string;
  @ApiProperty({
    enum: CLAIM_STATUSES,
    description: 'invalid: unknown, of another account, or a wrong token',
  })
  status!: ClaimStatus;
}

export class ClaimedLinksResponse {
  @ApiProperty({ type: [ClaimedLinkResponse], description: 'In the order of the request' })
  results!: ClaimedLinkResponse[];
  @ApiProperty({ ...COUNT, description: 'How many are the account’s from now on' })
  claimed!: number;
}
