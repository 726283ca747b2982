import { ApiProperty } from '@nestjs/swagger';

const DECIDERS = ['rule', 'geo', 'variant', 'default', 'expired', 'scheduled', 'closed'] as const;

export class ResolvedResponse {
  @ApiProperty({ enum: DECIDERS, description: 'The part of the link that determined the result' })
  by!: (typeof DECIDERS)[number];

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'r1',
    description: 'The key of the rule or variant',
  })
  key!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "The redirect's `Location`; null if there is no redirect",
    example: 'https://example.com/de',
  })
  location!: string | null;
}
