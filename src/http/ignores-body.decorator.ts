import { SetMetadata } from '@nestjs/common';

export const IGNORES_BODY = 'curtail:ignores-body';

/** For routes that succeed whatever was sent: a body that cannot be read does not matter. */
export const IgnoresBody = () => SetMetadata(IGNORES_BODY, true);
