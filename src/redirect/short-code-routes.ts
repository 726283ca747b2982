import { Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { isFixedSegment } from '../common/routes';

/** A request as Express hands it to the handler of a path parameter. */
interface MatchedRequest {
  readonly path: string;
  readonly route: { readonly path: string };
}

interface ParameterRoutes {
  param(
    name: string,
    handler: (request: MatchedRequest, response: unknown, next: (end?: 'route') => void) => void,
  ): void;
}

/**
 * True when a route that has matched a path is meant for it. `/:code` matches every path of one
 * segment, also those of other routes and, with its `+`, the preview's (docs/contract.md#15).
 */
export function isMeant(route: string, path: string): boolean {
  if (!route.startsWith('/:code')) return true;
  const [segment = ''] = path.slice(1).split('/');
  if (isFixedSegment(segment)) return false;
  return route !== '/:code' || !segment.endsWith('+');
}

/** Has the `/{code}` routes pass on what is not theirs, in whatever order routes are registered. */
@Injectable()
export class ShortCodeRoutes implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const routes = this.host.httpAdapter.getInstance<ParameterRoutes>();
    routes.param('code', ({ route, path }, _response, next) => {
      next(isMeant(route.path, path) ? undefined : 'route');
    });
  }
}
