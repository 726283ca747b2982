import { SetMetadata } from '@nestjs/common';
import { LimitName } from './limits.table';

export const RATE_LIMIT = 'curtail:rate-limit';

/** Names the route's row in the table of limits; `@RateLimit.none()` says that it has none. */
export const RateLimit = Object.assign((name: LimitName) => SetMetadata(RATE_LIMIT, name), {
  none: () => SetMetadata(RATE_LIMIT, 'none'),
});
