import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY } from '../../common/openapi/properties';
import { ITEM_REFUSALS, type SubmissionOutcome } from './report';

class RejectedItemResponse {
  @ApiProperty({ ...COUNT, description: "The item's index in the request" }) index!: number;

  @ApiProperty({ example: 'https://example.com/', description: "The item's `code_or_url`" })
  input!: string;

  @ApiProperty({ enum: ITEM_REFUSALS })
  code!: (typeof ITEM_REFUSALS)[number];
}

export class SubmittedReportsResponse {
  @ApiProperty({ ...ID_PROPERTY, description: "Identifies the submission in the service's log" })
  submission_id!: string;

  @ApiProperty(COUNT) accepted!: number;
  @ApiProperty({ type: [RejectedItemResponse] }) rejected!: RejectedItemResponse[];
}

export function toSubmittedReports({
  submissionId,
  accepted,
  rejected,
}: SubmissionOutcome): SubmittedReportsResponse {
  return { submission_id: submissionId, accepted, rejected: [...rejected] };
}
