import { ApiProperty } from '@nestjs/swagger';
import { unixSeconds } from '../core/time';
import type { Link } from './lookup/link';

/** Full short address of an alias (contract 1). */
export function shortUrl(baseUrl: string, alias: string): string {
  return `${baseUrl}/${alias}`;
}

/** Answer of POST /api/v1/shorten (contract 5.4). */
export class CreatedLinkResponse {
  @ApiProperty() id!: string;
  @ApiProperty() alias!: string;
  @ApiProperty({ format: 'uri' }) short_url!: string;
  @ApiProperty({ format: 'uri' }) long_url!: string;
  @ApiProperty({ type: String, nullable: true }) owner_id!: string | null;
  @ApiProperty({ type: 'integer', description: 'Unix seconds' }) created_at!: number;
  @ApiProperty({ enum: ['ACTIVE'] }) status!: string;
  @ApiProperty() private_stats!: boolean;
}

export function toCreatedLink(link: Link, baseUrl: string): CreatedLinkResponse {
  return {
    id: link.id,
    alias: link.alias,
    short_url: shortUrl(baseUrl, link.alias),
    long_url: link.longUrl,
    owner_id: link.ownerId,
    created_at: unixSeconds(link.createdAt),
    status: link.status,
    private_stats: link.privateStats,
  };
}
