import { Global, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { AddressModule } from '../infrastructure/client-address/client-address.module';
import { RateLimitStore } from '../infrastructure/rate-limit-store/rate-limit-store';
import { AccessGuard, AdminGuard } from './access.guard';
import { CredentialGuard } from './credential.guard';
import { ROUTE_THROTTLER } from './rate-limit/rate-limits';
import { RateLimiter, RateLimitGuard, RateLimitInterceptor } from './rate-limit/rate-limiter';
import { DeclaredRoutes, RouteAudit } from './route-audit';
import { LimitMeter } from '../infrastructure/meters/meters';
import { RedirectMeter } from '../infrastructure/meters/redirect-meter';

/** Guards in the order given in contract 2: credential, hidden admin routes, limit, access. */
@Global()
@Module({
  imports: [
    AddressModule,
    DiscoveryModule,
    ThrottlerModule.forRootAsync({
      inject: [RateLimitStore],
      useFactory: (storage: RateLimitStore) => ({
        throttlers: [{ name: ROUTE_THROTTLER, limit: 0, ttl: 0 }],
        storage,
      }),
    }),
  ],
  providers: [
    LimitMeter,
    RateLimiter,
    RedirectMeter,
    DeclaredRoutes,
    RouteAudit,
    { provide: APP_GUARD, useClass: CredentialGuard },
    { provide: APP_GUARD, useClass: AdminGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_INTERCEPTOR, useClass: RateLimitInterceptor },
  ],
  exports: [AddressModule, LimitMeter, RateLimiter, RedirectMeter],
})
export class AuthModule {}
