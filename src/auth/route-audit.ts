import { Injectable, OnApplicationBootstrap, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { isHidden } from '../common/routes';
import {
  declaredErrorAnswers,
  OPERATION,
  type OperationText,
} from '../common/http/route.decorators';
import type { ErrorAnswer } from '../common/openapi/error-answers';
import { ACCESS_RULE, type AccessRule, type Scope } from './access';
import {
  FURTHER_LIMITS,
  type FurtherLimits,
  type LimitName,
  RATE_LIMIT,
} from './rate-limit/rate-limits';

export interface DeclaredRoute {
  readonly name: string;
  /** Method and path, such as `GET /api/v1/urls/*`. A route may have several paths. */
  readonly paths: readonly string[];
  readonly access: AccessRule | undefined;
  readonly limit: LimitName | 'none' | undefined;
  readonly furtherLimits: FurtherLimits | undefined;
  readonly operation: OperationText | undefined;
  readonly errors: readonly ErrorAnswer[];
}

type Handler = (...args: never[]) => unknown;

@Injectable()
export class DeclaredRoutes {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  all(): DeclaredRoute[] {
    return this.discovery.getControllers().flatMap(({ metatype, name }) => {
      const prototype = metatype?.prototype as Record<string, Handler> | undefined;
      if (metatype === null || prototype === undefined) return [];
      return this.scanner
        .getAllMethodNames(prototype)
        .flatMap((method) => this.route(`${name}.${method}`, prototype[method], metatype));
    });
  }

  private route(
    name: string,
    handler: Handler | undefined,
    controller: NonNullable<ReturnType<DiscoveryService['getControllers']>[number]['metatype']>,
  ): DeclaredRoute[] {
    if (handler === undefined || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number] ?? 'ALL';
    const paths = declaredPaths(controller).flatMap((root) =>
      declaredPaths(handler).map((path) => `${method} ${join(root, path)}`),
    );
    return [
      {
        name,
        paths,
        access: this.reflector.getAllAndOverride(ACCESS_RULE, [handler, controller]),
        limit: this.reflector.getAllAndOverride(RATE_LIMIT, [handler, controller]),
        furtherLimits: Reflect.getMetadata(FURTHER_LIMITS, handler) as FurtherLimits | undefined,
        operation: Reflect.getMetadata(OPERATION, handler) as OperationText | undefined,
        errors: [...declaredErrorAnswers(controller), ...declaredErrorAnswers(handler)],
      },
    ];
  }
}

function declaredPaths(target: object): string[] {
  const path = Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined;
  return Array.isArray(path) ? path : [path ?? ''];
}

function join(root: string, path: string): string {
  const segments = `${root}/${path}`.split('/').filter((segment) => segment !== '');
  return `/${segments.map((segment) => segment.replace(/^:[^/]+$/, '*')).join('/')}`;
}

/**
 * `any-key`: no scope is required; `no-key`: only sessions are accepted; `ignored`: the route does
 * not read credentials.
 */
export type KeyAccess = readonly [Scope, ...Scope[]] | 'any-key' | 'no-key' | 'ignored';

/**
 * Scopes, at least one of which a key needs (docs/contract.md#3.2, docs/contract.md#12.2,
 * docs/contract.md#12.6). `*` is a path parameter. Must match `@Access`, or startup fails.
 */
export const SCOPE_MATRIX: Readonly<Record<string, KeyAccess>> = {
  'POST /api/v1/shorten': ['shorten:create'],
  'GET /api/v1/shorten/check-alias': ['shorten:create'],
  'GET /api/v1/urls': ['urls:read'],
  'GET /api/v1/urls/*': ['urls:read'],
  'GET /api/v1/urls/export': ['urls:read'],
  'GET /api/v1/urls/*/*': ['urls:read'],
  'PATCH /api/v1/urls/*': ['urls:manage'],
  'PATCH /api/v1/urls/*/status': ['urls:manage'],
  'DELETE /api/v1/urls/*': ['urls:manage'],
  'DELETE /api/v1/urls/*/clicks': ['urls:manage'],
  'POST /api/v1/urls/*/resolve': ['urls:read'],
  'POST /api/v1/urls/claim': ['urls:manage'],
  'POST /api/v1/urls/bulk/create': ['shorten:create'],
  'POST /api/v1/urls/bulk/update': ['urls:manage'],
  'POST /api/v1/urls/bulk/status': ['urls:manage'],
  'POST /api/v1/urls/bulk/expiry': ['urls:manage'],
  'POST /api/v1/urls/bulk/delete': ['urls:manage'],
  'POST /api/v1/urls/bulk/delete-clicks': ['urls:manage'],
  'POST /api/v1/urls/bulk/domain': ['urls:manage'],
  'DELETE /api/v1/urls': ['urls:manage'],
  'GET /api/v1/urls/*/qr': ['urls:read'],
  'PUT /api/v1/urls/*/qr': ['urls:manage'],
  'GET /api/v1/urls/*/qr.svg': ['urls:read'],
  'GET /api/v1/urls/*/qr.png': ['urls:read'],
  'PUT /api/v1/qr/logo': 'no-key',
  'GET /api/v1/qr/logo': 'no-key',
  'DELETE /api/v1/qr/logo': 'no-key',
  'GET /api/v1/tags': ['urls:read'],
  'POST /api/v1/tags': ['urls:manage'],
  'PATCH /api/v1/tags/*': ['urls:manage'],
  'DELETE /api/v1/tags/*': ['urls:manage'],
  'GET /api/v1/utm-templates': ['urls:read'],
  'POST /api/v1/utm-templates': ['urls:manage'],
  'PATCH /api/v1/utm-templates/*': ['urls:manage'],
  'DELETE /api/v1/utm-templates/*': ['urls:manage'],
  'GET /api/v1/custom-domains': ['domains:read'],
  'GET /api/v1/custom-domains/*': ['domains:read'],
  'GET /api/v1/custom-domains/shared': ['domains:read', 'shorten:create'],
  'POST /api/v1/custom-domains': ['domains:manage'],
  'POST /api/v1/custom-domains/*/verify': ['domains:manage'],
  'PATCH /api/v1/custom-domains/*': ['domains:manage'],
  'DELETE /api/v1/custom-domains/*': ['domains:manage'],
  'DELETE /api/v1/custom-domains/*/permanent': ['domains:manage'],
  'GET /api/v1/overview': ['urls:read'],
  'POST /api/v1/reports': ['reports:create'],
  'GET /api/v1/stats': ['stats:read', 'urls:read'],
  'GET /api/v1/stats/links/*': ['stats:read', 'urls:read'],
  'GET /api/v1/export': ['stats:read', 'urls:read'],
  'GET /api/v1/export/links/*': ['stats:read', 'urls:read'],
  'GET /api/v1/public/stats/*': 'any-key',
  'POST /api/v1/public/stats/*': 'any-key',
  'GET /api/v1/public/preview/*': 'ignored',
  'GET /api/v1/emoji-set': 'ignored',
  'POST /api/v1/imports': ['urls:manage'],
  'GET /api/v1/imports': ['urls:manage'],
  'GET /api/v1/imports/*': ['urls:manage'],
  'POST /api/v1/imports/*/run': ['urls:manage'],
  'POST /api/v1/imports/*/sync': ['urls:manage'],
  'POST /api/v1/imports/*/undo': ['urls:manage'],
  'POST /api/v1/imports/*/cancel': ['urls:manage'],
  'DELETE /api/v1/imports/*': ['urls:manage'],
  'GET /api/v1/imports/*/rows': ['urls:manage'],
  'GET /api/v1/imports/*/report.csv': ['urls:manage'],
  'GET /api/v1/jobs/*': 'any-key',
  'POST /api/v1/jobs/*/cancel': 'any-key',
  'POST /api/v1/account/exports': 'no-key',
  'GET /api/v1/account/exports': 'no-key',
  'GET /api/v1/account/exports/*': 'no-key',
  'GET /api/v1/account/exports/*/file': 'no-key',
  'DELETE /api/v1/account/exports/*': 'no-key',
  'POST /api/v1/keys': 'no-key',
  'GET /api/v1/keys': 'no-key',
  'DELETE /api/v1/keys/*': 'no-key',
  'GET /auth/me': 'any-key',
  'PATCH /auth/me': 'no-key',
  'POST /auth/me/code': 'no-key',
  'DELETE /auth/me': 'no-key',
  'POST /auth/me/delete': 'no-key',
  'POST /auth/me/restore': 'no-key',
  'POST /auth/me/email': 'no-key',
  'POST /auth/me/email/confirm': 'no-key',
  'POST /auth/change-password': 'no-key',
  'GET /auth/sessions': 'no-key',
  'DELETE /auth/sessions': 'no-key',
  'DELETE /auth/sessions/*': 'no-key',
  'POST /auth/set-password': ['admin:all'],
  'POST /auth/send-verification': 'any-key',
  'POST /auth/verify-email': ['admin:all'],
  'GET /oauth/providers': 'any-key',
  'DELETE /oauth/providers/*/unlink': ['admin:all'],
  'GET /oauth/*/link': 'no-key',
};

/** Read routes that must reject ended sessions (docs/contract.md#12.5). */
const LIVE_READS: ReadonlySet<string> = new Set(['GET /auth/sessions', 'GET /oauth/*/link']);

/** Routes that only read. They use POST because the body contains a password. */
const READS_BY_POST: ReadonlySet<string> = new Set(['POST /api/v1/public/stats/*']);

const routePath = (route: string): string => route.slice(route.indexOf(' ') + 1);

function mustBeLive(path: string): boolean {
  if (isHidden(routePath(path))) return true;
  return path.startsWith('GET ') ? LIVE_READS.has(path) : !READS_BY_POST.has(path);
}

function differsInLiveness({ credential, liveSession }: AccessRule, path: string): boolean {
  if (credential === 'none') return false;
  const isLive = liveSession ?? !path.startsWith('GET ');
  // A page may reject ended sessions even if it does not have to.
  return credential === 'page' ? mustBeLive(path) && !isLive : isLive !== mustBeLive(path);
}

export function agrees(
  admission: KeyAccess,
  rule: Pick<AccessRule, 'credential' | 'keys' | 'scopes'>,
): boolean {
  if (admission === 'ignored') return rule.credential === 'none';
  if (admission === 'no-key') return !rule.keys;
  const wanted = admission === 'any-key' ? [] : admission;
  return (
    rule.keys &&
    wanted.length === rule.scopes.length &&
    wanted.every((scope) => rule.scopes.includes(scope))
  );
}

/** Prevents startup if a route's declarations are missing or contradict the matrix. */
@Injectable()
export class RouteAudit implements OnApplicationBootstrap {
  constructor(private readonly routes: DeclaredRoutes) {}

  onApplicationBootstrap(): void {
    const objections = this.routes.all().flatMap(objectionsTo);
    if (objections.length > 0) throw new Error(`Routes refused: ${objections.join('; ')}`);
  }
}

/**
 * Returns false for pages, which reject no request and accept no keys. Also returns false for the
 * APIs of other shorteners, because their tests list the scopes.
 */
function takesCredentials({ credential, readKey }: AccessRule): boolean {
  return credential !== 'none' && credential !== 'page' && readKey === undefined;
}

export function objectionsTo(route: DeclaredRoute): string[] {
  const { name, paths, access, limit } = route;
  if (access === undefined) return [`${name} declares no @Access`];
  if (limit === undefined) return [`${name} declares no @RateLimit`];
  const ended = paths
    .filter((path) => differsInLiveness(access, path))
    .map((path) => `${name} (${path}) differs in whether its session must be live`);
  const shown = paths
    .filter((path) => isHidden(routePath(path)) !== (access.admin === true))
    .map((path) => `${name} (${path}) differs in whether it is hidden from all but admins`);
  const foreign = paths
    .filter((path) => !isHidden(routePath(path)))
    .filter((path) => path.includes(' /api/v1/') || takesCredentials(access))
    .flatMap((path) => {
      const admission = SCOPE_MATRIX[path];
      if (admission === undefined) return [`${name} (${path}) is not in the scope matrix`];
      return agrees(admission, access) ? [] : [`${name} (${path}) differs from the scope matrix`];
    });
  return [...ended, ...shown, ...foreign];
}
