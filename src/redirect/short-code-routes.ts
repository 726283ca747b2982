import { Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { isFixedSegment } from '../common/routes';

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

/** `/:code` also matches other routes' paths and a preview's `+` (docs/contract.md#15). */
export function isMeant(route: string, path: string): boolean {
  if (!route.startsWith('/:code')) return true;
  const [segment = ''] = path.slice(1).split('/');
  if (isFixedSegment(segment)) return false;
  return route !== '/:code' || !segment.endsWith('+');
}

/** Makes `/{code}` routes skip other routes' paths, regardless of registration order. */
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
