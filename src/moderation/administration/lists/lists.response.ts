import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ISO_PROPERTY } from '../../../common/openapi/properties';
import { type Job, UNFINISHED } from '../../../infrastructure/jobs/job';
import type { ListState } from '../../../blocklists/lists/watched-list';

class UnreadableLineResponse {
  @ApiProperty({ type: 'integer', minimum: 1 }) line!: number;
  @ApiProperty({ maxLength: 80, example: 'http:/evil' }) text!: string;
}

class UnreadableLinesResponse {
  @ApiProperty(COUNT) total!: number;
  @ApiProperty({
    type: [UnreadableLineResponse],
    maxItems: 100,
    description: 'The first unreadable lines',
  })
  lines!: UnreadableLineResponse[];
}

class WalkResponse {
  @ApiProperty({ enum: ['idle', 'running'] }) state!: 'idle' | 'running';
  @ApiProperty({ ...COUNT, description: 'Links checked in the current or last run' })
  done!: number;
  @ApiProperty({ ...COUNT, nullable: true, description: 'About' }) total!: number | null;
}

class ListResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'File name; null if the setting is unset',
  })
  file!: string | null;
  @ApiProperty(COUNT) entries!: number;
  @ApiProperty() unreadable!: UnreadableLinesResponse;
  @ApiProperty({ ...ISO_PROPERTY, nullable: true }) loaded_at!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the file could not be read; its previous entries still apply',
  })
  error!: string | null;
  @ApiProperty({ ...COUNT, description: 'Links blocked by this list' }) links_blocked!: number;
  @ApiProperty({ description: 'Progress of checking all links against the lists' })
  walk!: WalkResponse;
}

class StoredListResponse {
  @ApiProperty(COUNT) entries!: number;
  @ApiProperty({ ...COUNT, description: 'Links that lead to one of these hosts and are blocked' })
  links_blocked!: number;
}

export class ListsResponse {
  @ApiProperty({ description: 'BLOCKED_HOSTS_FILE' }) hosts!: ListResponse;
  @ApiProperty({ description: 'BLOCKED_URLS_FILE' }) urls!: ListResponse;
  @ApiProperty({ description: 'Hosts blocked by admins' }) stored!: StoredListResponse;
}

export function toListResponse(
  { file, entries, unreadable, loadedAt, error }: ListState,
  linksBlocked: number,
  walk: WalkResponse,
): ListResponse {
  return {
    file,
    entries,
    unreadable: { total: unreadable.total, lines: unreadable.lines.map((line) => ({ ...line })) },
    loaded_at: loadedAt?.toISOString() ?? null,
    error,
    links_blocked: linksBlocked,
    walk,
  };
}

/** @param job the last check; null if none ran recently */
export function toWalkResponse(job: Job | null): WalkResponse {
  if (job === null) return { state: 'idle', done: 0, total: null };
  const isUnfinished = UNFINISHED.some((state) => state === job.state);
  return { state: isUnfinished ? 'running' : 'idle', done: job.done, total: job.total };
}
