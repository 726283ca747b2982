import { ApiProperty } from '@nestjs/swagger';

const DECIDERS = ['rule', 'geo', 'variant', 'default', 'expired', 'scheduled', 'closed'] as const;

export class ResolvedResponse {
  @ApiProperty({ enum: DECIDERS, description: 'The part of the link that decided' })
  by!: (typeof DECIDERS)[number];

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'r1',
    description: 'Key of a rule or variant',
  })
  key!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Location of the redirect; null without a redirect',
    example: 'https://example.com/de',
  })
  location!: string | null;
}
