import type { Request } from 'express';
import { CurtailError } from '../core/errors';

interface Layer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/** A method that no route of ours has but those that take every method. */
const FENCE = 'connect';

/** 405 (contract 2): the path is known, the method is not. */
export class MethodNotAllowedError extends CurtailError {
  constructor(allow: string) {
    super(405, 'method_not_allowed', `Use ${allow} here`, { headers: { Allow: allow } });
  }
}

/** The 405 of an unmatched request, or null when no route has its path. */
export function methodNotAllowed(request: Request): MethodNotAllowedError | null {
  const { stack } = request.app.router as unknown as { stack: Layer[] };
  const methods = new Set<string>();
  for (const layer of stack) {
    if (layer.route === undefined || !matches(layer, request.path)) continue;
    // A route for all methods is a fence: no request gets to what is registered behind it.
    if (FENCE in layer.route.methods) break;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.size === 0) return null;
  if (methods.has('GET')) methods.add('HEAD');
  return new MethodNotAllowedError([...methods].sort().join(', '));
}

function matches(layer: Layer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false; // not percent-encoded UTF-8: no route has such a path
  }
}
