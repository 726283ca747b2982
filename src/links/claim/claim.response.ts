import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY } from '../../common/openapi/properties';
import { CLAIM_STATUSES, type ClaimStatus } from './claim.dto';

class ClaimedLinkResponse {
  @ApiProperty({ description: 'As in the request', example: ID_PROPERTY.example }) url_id!: string;
  @ApiProperty({
    enum: CLAIM_STATUSES,
    description: 'invalid: unknown, of another account, or a wrong token',
  })
  status!: ClaimStatus;
}

export class ClaimedLinksResponse {
  @ApiProperty({ type: [ClaimedLinkResponse], description: 'In the order of the request' })
  results!: ClaimedLinkResponse[];
  @ApiProperty({ ...COUNT, description: 'Number of links that now belong to the account' })
  claimed!: number;
}
