import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export type CheckState = 'ok' | 'error' | 'not_configured';

export class HealthChecks {
  @ApiProperty({ enum: ['ok', 'error'] }) database!: 'ok' | 'error';
  @ApiProperty({ enum: ['ok', 'error', 'not_configured'] }) cache!: CheckState;
  @ApiProperty({ enum: ['ok', 'error', 'not_configured'] }) mail!: CheckState;
  @ApiProperty({ enum: ['ok', 'error', 'not_configured'] }) clickhouse!: CheckState;
  @ApiProperty({ enum: ['ok', 'error'] }) recording!: 'ok' | 'error';
}

export class HealthResponse {
  @ApiProperty({ enum: ['healthy', 'degraded', 'unhealthy'] })
  status!: 'healthy' | 'degraded' | 'unhealthy';

  @ApiProperty({ example: '1.0.0' }) version!: string;
  @ApiProperty() checks!: HealthChecks;

  @ApiPropertyOptional({ description: 'How to fix the problem, if known' }) hint?: string;
}
