import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';
import { Trimmed } from '../common/http/validators';

export const MAX_REASON = 500;

const REASON = { minLength: 1, maxLength: MAX_REASON, example: 'Phishing' };

/** Body of acts that need a reason (docs/contract.md#24.2). */
export class ReasonDto {
  @ApiProperty({ ...REASON, description: 'For the trail and for whom the act concerns' })
  @Trimmed()
  @Length(1, MAX_REASON)
  @IsString()
  reason!: string;
}

/** Body of acts that may have one. */
export class OptionalReasonDto {
  @ApiPropertyOptional({ ...REASON, type: String, nullable: true, description: 'For the trail' })
  @Trimmed()
  @Length(1, MAX_REASON)
  @IsString()
  @IsOptional()
  reason?: string | null;
}
