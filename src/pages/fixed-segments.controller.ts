import { All, Controller, NotFoundException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../access/access.decorator';
import { RateLimit } from '../access/rate-limit.decorator';

/** Contract 15: first segments that are never short codes. */
const FIXED_SEGMENTS =
  'api auth oauth health docs openapi.json stats export emoji metric result dashboard login register signup static'.split(
    ' ',
  );

/**
 * The fence between the fixed paths and the short codes: what no room before it has answered is
 * 404 (or 405), never a look-up. Its module stands behind those of all fixed paths.
 */
@ApiExcludeController()
@Controller()
@Access.public()
@RateLimit.none()
export class FixedSegmentsController {
  @All(FIXED_SEGMENTS.flatMap((segment) => [segment, `${segment}/*rest`]))
  refuse(): never {
    throw new NotFoundException();
  }
}
