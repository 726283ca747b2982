import { Injectable, OnApplicationBootstrap } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS_RULE } from './access.decorator';
import { RATE_LIMIT } from './rate-limit.decorator';

/** Stops the start when a route declares no access or no limit. */
@Injectable()
export class RouteAudit implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onApplicationBootstrap(): void {
    const undeclared = this.discovery.getControllers().flatMap((wrapper) => {
      const prototype = wrapper.metatype?.prototype as Record<string, object> | undefined;
      if (prototype === undefined) return [];
      return this.scanner
        .getAllMethodNames(prototype)
        .filter((name) => this.isOpenRoute(prototype[name], wrapper.metatype))
        .map((name) => `${wrapper.name}.${name}`);
    });
    if (undeclared.length > 0) {
      throw new Error(`Routes without @Access or @RateLimit: ${undeclared.join(', ')}`);
    }
  }

  private isOpenRoute(handler: object | undefined, controller: unknown): boolean {
    if (typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler))
      return false;
    const targets = [handler, controller as never];
    return [ACCESS_RULE, RATE_LIMIT].some(
      (key) => this.reflector.getAllAndOverride<unknown>(key, targets) === undefined,
    );
  }
}
