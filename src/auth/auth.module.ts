import { Global, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { AddressModule } from '../infrastructure/client-address/client-address';
import { MetersModule } from '../infrastructure/meters/meters.module';
import { RateLimitStoreModule } from '../infrastructure/rate-limit-store/rate-limit-store.module';
import { AccessGuard } from './access.guard';
import { CredentialGuard } from './credential.guard';
import { RateLimitGuard } from './rate-limit/rate-limit.guard';
import { RateLimitInterceptor } from './rate-limit/rate-limit.interceptor';
import { DeclaredRoutes } from './declared-routes';
import { RateLimiter } from './rate-limit/rate-limiter';
import { RouteAudit } from './route-audit';

/** The guards run in the order of docs/contract.md#2: who is it, limit, may they. */
@Global()
@Module({
  imports: [
    AddressModule,
    DiscoveryModule,
    MetersModule,
    RateLimitStoreModule,
    ThrottlerModule.forRoot({ throttlers: [] }),
  ],
  providers: [
    RateLimiter,
    DeclaredRoutes,
    RouteAudit,
    { provide: APP_GUARD, useClass: CredentialGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_INTERCEPTOR, useClass: RateLimitInterceptor },
  ],
  exports: [RateLimiter],
})
export class AuthModule {}
