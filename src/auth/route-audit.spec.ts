import { Controller, Delete, Get, Module, Post, Put } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { Access } from './access';
import { RateLimit } from './rate-limit/rate-limits';
import { DeclaredRoutes, RouteAudit } from './route-audit';

/** Starts an application with one controller. Rejects if the audit finds a fault. */
async function start(controller: new () => object): Promise<void> {
  @Module({
    imports: [DiscoveryModule],
    controllers: [controller],
    providers: [DeclaredRoutes, RouteAudit],
  })
  class OneController {}
  const app = await NestFactory.createApplicationContext(OneController, {
    logger: false,
    abortOnError: false,
  });
  await app.close();
}

describe('RouteAudit', () => {
  it('lets the service start with declared routes, by method or by controller', async () => {
    @Controller('api/v1/urls')
    @RateLimit('links.list')
    class Declared {
      @Get()
      @Access('urls:read')
      list(): void {
        return;
      }

      @Get(':id')
      @Access('urls:read')
      readOne(): void {
        return;
      }

      helper(): void {
        return;
      }
    }
    await expect(start(Declared)).resolves.toBeUndefined();
  });

  it('rejects a route without @Access', async () => {
    @Controller('x')
    class NoAccess {
      @Get()
      @RateLimit.none()
      open(): void {
        return;
      }
    }
    await expect(start(NoAccess)).rejects.toThrow('NoAccess.open declares no @Access');
  });

  it('rejects a route without @RateLimit', async () => {
    @Controller('x')
    @Access.public()
    class NoLimit {
      @Get()
      open(): void {
        return;
      }
    }
    await expect(start(NoLimit)).rejects.toThrow('NoLimit.open declares no @RateLimit');
  });

  it('rejects a v1 route that is not in the scope matrix', async () => {
    @Controller(['api/v1/surprise', 'elsewhere'])
    @Access.public()
    @RateLimit.none()
    class Unknown {
      @Post()
      open(): void {
        return;
      }
    }
    await expect(start(Unknown)).rejects.toThrow(
      'Unknown.open (POST /api/v1/surprise) is not in the scope matrix',
    );
  });

  const ended = Access.session({ liveSession: false });
  it.each([
    ['lets ended sessions make a key', 'api/v1/keys', Post, ended],
    ['lets ended sessions delete a link', 'api/v1/urls/:id', Delete, ended],
    ['is new and lets ended sessions write', 'auth/surprise', Put, ended],
    ['is a form and lets ended sessions write', 'form', Post, Access.page({ liveSession: false })],
    ['asks for a live session to read', 'auth/me', Get, Access.account({ liveSession: true })],
    ['lists sessions to an ended one', 'auth/sessions', Get, Access.session({ verified: false })],
  ])('rejects a route that %s', async (_, path, method, access) => {
    @Controller(path)
    @RateLimit.none()
    class Other {
      @method()
      @access
      route(): void {
        return;
      }
    }
    await expect(start(Other)).rejects.toThrow('in whether its session must be live');
  });

  it('rejects a route outside v1 that requires a credential missing from the matrix', async () => {
    @Controller('auth/surprise')
    @Access.account()
    @RateLimit.none()
    class Unknown {
      @Get()
      route(): void {
        return;
      }
    }
    await expect(start(Unknown)).rejects.toThrow('is not in the scope matrix');
  });

  it.each([
    ['other scopes', Access('urls:manage')],
    ['more scopes', Access('urls:read', 'stats:read')],
    ['any key', Access.account()],
    ['sessions only', Access.session()],
  ])('rejects a v1 route that requires %s than the matrix', async (_, access) => {
    @Controller('api/v1/urls')
    @RateLimit('links.list')
    class Other {
      @Get()
      @access
      list(): void {
        return;
      }
    }
    await expect(start(Other)).rejects.toThrow('differs from the scope matrix');
  });

  it.each([
    ['shows a path of admins to others', 'api/v1/admin/surprise', Access.session()],
    ['hides a path that is none of admins', 'api/v1/urls/:id', Access.admin()],
  ])('rejects a route that %s', async (_, path, access) => {
    @Controller(path)
    @RateLimit.none()
    class Other {
      @Delete()
      @access
      route(): void {
        return;
      }
    }
    await expect(start(Other)).rejects.toThrow('in whether it is hidden from all but admins');
  });
});
