import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY } from '../../common/openapi/properties';
import { CLAIM_STATUSES, type ClaimStatus } from './claim.dto';

class ClaimedLinkResponse {
  @ApiProperty({ description: 'As in the request', example: ID_PROPERTY.example }) url_id!: string;
  @ApiProperty({
    enum: CLAIM_STATUSES,
    description:
      '`invalid`: the link is unknown or belongs to another account, or the token is wrong',
  })
  status!: ClaimStatus;
}

export class ClaimedLinksResponse {
  @ApiProperty({ type: [ClaimedLinkResponse], description: 'In request order' })
  results!: ClaimedLinkResponse[];
  @ApiProperty({ ...COUNT, description: 'The number of links assigned to the account' })
  claimed!: number;
}
