import { Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Access } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, Operation } from '../common/http/route.decorators';
import { apiDocument } from './api-document';

const text = (id: string) => ({ id, summary: id, description: id });

@Controller('api/routes')
@RateLimit.none()
class Routes {
  @Get('scoped')
  @Operation(text('scoped'))
  @Access('urls:read')
  scoped(): void {
    return;
  }

  @Get('account')
  @Operation(text('account'))
  @Access.account()
  @ApiErrors(401, 404, [401, 'password_required'])
  account(): void {
    return;
  }

  @Post('writing')
  @Operation(text('writing'))
  @Access.account()
  writing(): void {
    return;
  }

  @Get('optional')
  @Operation({ ...text('optional'), head: text('probe') })
  @Access.open()
  @RateLimit('stats.public')
  optional(): void {
    return;
  }

  @Get('public')
  @Operation(text('public'))
  @Access.public()
  open(): void {
    return;
  }
}

@Controller('sessions')
@Access.session()
@RateLimit.none()
class Sessions {
  @Get()
  @Operation(text('both'))
  @Access.session({ liveSession: true })
  both(): void {
    return;
  }
}

@Module({ controllers: [Routes, Sessions] })
class TwoControllers {}

@Controller()
@Access.public()
@RateLimit.none()
class Nameless {
  @Get()
  nameless(): void {
    return;
  }
}

@Module({ controllers: [Nameless] })
class OneNameless {}

interface Described {
  description: string;
  security: object[];
  responses: Record<string, { $ref?: string; headers?: object; content?: object }>;
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components: {
    schemas: Record<string, { properties: { code: { enum: string[] } } }>;
    responses: Record<string, { headers: object; content: Record<string, object> }>;
  };
}

async function documentOf(module: new () => object): Promise<Document> {
  const app = await NestFactory.create(module, { logger: false, abortOnError: false });
  return apiDocument(app, 'https://go.test') as Document;
}

describe('The description of a route', () => {
  let document: Document;
  beforeAll(async () => {
    document = await documentOf(TwoControllers);
  });
  const operation = (path: string, method = 'get'): Described => document.paths[path]![method]!;

  const SESSION = [{ bearer: [] }, { access_token: [] }];
  it.each([
    ['/api/routes/scoped', 'get', [{ api_key: [] }, ...SESSION], ['401', '403']],
    ['/api/routes/account', 'get', [{ api_key: [] }, ...SESSION], ['401']],
    ['/api/routes/writing', 'post', [{ api_key: [] }, ...SESSION], ['401', '403']],
    ['/api/routes/optional', 'get', [{ api_key: [] }, ...SESSION, {}], ['401']],
    ['/api/routes/public', 'get', [], []],
    ['/sessions', 'get', SESSION, ['401', '403']],
  ])(
    'for %s lists the accepted credentials and the errors for missing ones',
    (path, method, wanted, refusals) => {
      const { security, responses } = operation(path, method);
      expect(security).toEqual(wanted);
      expect(['401', '403'].filter((status) => status in responses)).toEqual(refusals);
    },
  );

  it('contains the scope that a key needs and the numbers of the rate limit', () => {
    expect(operation('/api/routes/scoped').description).toContain('`urls:read` or `admin:all`');
    expect(operation('/api/routes/optional').description).toContain(
      '60 per minute and 2000 per day for each account, 20 per minute and 500 per day for each client address',
    );
  });

  it('combines the error codes of a status, and lists equal responses once', () => {
    const { responses } = operation('/api/routes/account');
    expect(responses['401']?.$ref).toMatch(/PasswordRequired/);
    const name = responses['401']!.$ref!.split('/').at(-1)!.replace('WithoutLimit', '');
    expect(document.components.schemas[name]?.properties.code.enum).toEqual([
      'authentication_error',
      'password_required',
    ]);
    expect(responses['500']).toEqual(operation('/api/routes/scoped').responses['500']);
  });

  it('has a 429 response and rate limit headers if the route has a limit', () => {
    expect(operation('/api/routes/public').responses).not.toHaveProperty('429');
    expect(Object.keys(document.components.responses.RateLimitError?.headers ?? {})).toEqual(
      expect.arrayContaining(['X-Request-ID', 'X-RateLimit-Reset', 'Retry-After', 'X-Error-Code']),
    );
  });

  it('says which errors can be pages', () => {
    const types = (name: string) => Object.keys(document.components.responses[name]?.content ?? {});
    expect(types('InternalErrorWithoutLimit')).toEqual(['application/json']);
    expect(types('InternalErrorOrPageWithoutLimit')).toEqual(['application/json', 'text/html']);
  });

  it('has a HEAD operation without bodies if the route declares one', () => {
    const head = operation('/api/routes/optional', 'head');
    expect(Object.keys(head.responses)).toEqual(
      Object.keys(operation('/api/routes/optional').responses),
    );
    expect(Object.values(head.responses).some(({ content }) => content !== undefined)).toBe(false);
  });

  it('is required for every route', async () => {
    await expect(documentOf(OneNameless)).rejects.toThrow('Nameless.nameless has no @Operation');
  });
});
