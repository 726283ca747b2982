import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { declaredErrorAnswers } from '../common/http/api-errors.decorator';
import type { ErrorAnswer } from '../common/openapi/error-answers';
import { OPERATION, type OperationText } from '../common/openapi/operation.decorator';
import { ACCESS_RULE, type AccessRule } from './access.decorator';
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
