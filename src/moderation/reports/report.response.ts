import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY } from '../../common/openapi/properties';
import { ITEM_REFUSALS, type SubmissionOutcome } from './report';

class RejectedItemResponse {
  @ApiProperty({ ...COUNT, description: 'Index of the item in the request' })
  index!: number;

  @ApiProperty({ example: 'https://example.com/', description: '`code_or_url` of the item' })
  input!: string;

  @ApiProperty({ enum: ITEM_REFUSALS })
  code!: (typeof ITEM_REFUSALS)[number];
}

export class SubmittedReportsResponse {
  @ApiProperty({ ...ID_PROPERTY, description: 'Names the submission in the log of the service' })
  submission_id!: string;

  @ApiProperty(COUNT) accepted!: number;

  @ApiProperty({ type: [RejectedItemResponse] })
  rejected!: RejectedItemResponse[];
}

export function toSubmittedReports({
  submissionId,
  accepted,
  rejected,
}: SubmissionOutcome): SubmittedReportsResponse {
  return { submission_id: submissionId, accepted, rejected: [...rejected] };
}
