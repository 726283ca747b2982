import { Injectable, OnApplicationBootstrap } from '@nestjs/common';
import { DeclaredRoute, DeclaredRoutes } from './declared-routes';
import { agrees, LIVE_SESSION_ROUTES, SCOPE_MATRIX } from './scope-matrix';

/**
 * Stops the start when a route declares no access or no limit, or when a route lets other
 * keys in than the scope matrix says, or takes ended sessions where it must not.
 */
@Injectable()
export class RouteAudit implements OnApplicationBootstrap {
  constructor(private readonly routes: DeclaredRoutes) {}

  onApplicationBootstrap(): void {
    const objections = this.routes.all().flatMap(objectionsTo);
    if (objections.length > 0) throw new Error(`Routes refused: ${objections.join('; ')}`);
  }
}

/** What is wrong with a route's declarations, in words. */
export function objectionsTo(route: DeclaredRoute): string[] {
  const { name, paths, access, limit } = route;
  if (access === undefined) return [`${name} declares no @Access`];
  if (limit === undefined) return [`${name} declares no @RateLimit`];
  return paths
    .filter((path) => path.includes(' /api/') || access.credential !== 'none')
    .flatMap((path) => {
      const admission = SCOPE_MATRIX[path];
      if (admission === undefined) return [`${name} (${path}) is not in the scope matrix`];
      if (access.liveSession !== LIVE_SESSION_ROUTES.has(path)) {
        return [`${name} (${path}) differs from the list of routes that need a live session`];
      }
      return agrees(admission, access) ? [] : [`${name} (${path}) differs from the scope matrix`];
    });
}
