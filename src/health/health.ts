import { ApiProperty } from '@nestjs/swagger';

export type CheckState = 'ok' | 'error' | 'not_configured';

/** How the optional dependencies are; each room that has one answers for it. */
export abstract class HealthIndicators {
  abstract cache(): Promise<CheckState>;
  abstract mail(): Promise<CheckState>;
}

export class HealthChecks {
  @ApiProperty({ enum: ['ok', 'error'] }) database!: 'ok' | 'error';
  @ApiProperty({ enum: ['ok', 'error', 'not_configured'] }) cache!: CheckState;
  @ApiProperty({ enum: ['ok', 'error', 'not_configured'] }) mail!: CheckState;
}

/** Body of GET /health (contract 14). */
export class HealthResponse {
  @ApiProperty({ enum: ['healthy', 'degraded', 'unhealthy'] })
  status!: 'healthy' | 'degraded' | 'unhealthy';

  @ApiProperty() version!: string;
  @ApiProperty() checks!: HealthChecks;
}
