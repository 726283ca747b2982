import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { SoundText, Trimmed } from '../../../common/http/validators';
import { textProblem } from '../../../common/plain-text';

export const MAX_REASON = 500;

const REASON = { minLength: 1, maxLength: MAX_REASON, example: 'Phishing' };

const IsReason = (): PropertyDecorator =>
  applyDecorators(
    Trimmed(),
    SoundText((text) => textProblem(text, { max: MAX_REASON, lines: true })),
  );

export class ReasonDto {
  @ApiProperty({ ...REASON, description: 'Recorded in the audit trail and sent to the owner' })
  @IsReason()
  reason!: string;
}

export class OptionalReasonDto {
  @ApiPropertyOptional({
    ...REASON,
    type: String,
    nullable: true,
    description: 'Recorded in the audit trail',
  })
  @IsReason()
  @IsOptional()
  reason?: string | null;
}
