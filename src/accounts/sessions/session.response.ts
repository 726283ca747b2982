import { ApiProperty } from '@nestjs/swagger';
import { ID_PROPERTY, ISO_PROPERTY } from '../../common/openapi/properties';
import type { ListedSession } from './session';

export class SessionResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty(ISO_PROPERTY) created_at!: string;
  @ApiProperty({ ...ISO_PROPERTY, description: 'Time of the sign-in or the latest token refresh' })
  last_seen_at!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Mobile Safari' }) browser!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'iOS' }) os!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Germany' }) country!: string | null;
  @ApiProperty({ description: 'Whether the request belongs to this session' }) current!: boolean;
}

export class SessionsResponse {
  @ApiProperty({ type: [SessionResponse], description: 'Last seen first, at most 100' })
  sessions!: SessionResponse[];
}

export function toSessionsResponse(
  sessions: readonly ListedSession[],
  currentId: string | null,
): SessionsResponse {
  return {
    sessions: sessions.map(({ id, createdAt, lastSeenAt, browser, os, country }) => ({
      id,
      created_at: createdAt.toISOString(),
      last_seen_at: lastSeenAt.toISOString(),
      browser,
      os,
      country,
      current: id === currentId,
    })),
  };
}
