import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { Access } from './access.decorator';

@Controller('routes')
class Routes {
  @Get('scoped')
  @Access('urls:read')
  scoped(): void {
    return;
  }

  @Get('account')
  @Access.account()
  @ApiErrors(401, 404)
  account(): void {
    return;
  }

  @Get('optional')
  @Access.open()
  optional(): void {
    return;
  }

  @Get('public')
  @Access.public()
  open(): void {
    return;
  }
}

@Controller('sessions')
@Access.session()
class Sessions {
  @Get()
  @Access.session({ liveSession: true })
  both(): void {
    return;
  }
}

@Module({ controllers: [Routes, Sessions] })
class TwoControllers {}

describe('The API description of a route’s access', () => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    const app = await NestFactory.create(TwoControllers, { logger: false, abortOnError: false });
    const config = new DocumentBuilder().addBearerAuth().addCookieAuth('access_token').build();
    document = SwaggerModule.createDocument(app, config);
    await app.close();
  });

  const CREDENTIALS = [{ bearer: [] }, { cookie: [] }];
  it.each([
    ['/routes/scoped', CREDENTIALS, ['401', '403']],
    ['/routes/account', CREDENTIALS, ['401']],
    ['/routes/optional', [...CREDENTIALS, {}], ['401']],
    ['/routes/public', [], []],
    ['/sessions', CREDENTIALS, ['401', '403']],
  ])('says of %s which credentials may come and how they are refused', (path, wanted, refusals) => {
    const operation = document.paths[path]?.get;
    const distinct = [...new Set(operation?.security?.map((one) => JSON.stringify(one)))];
    const sorted = distinct.sort((a, b) => b.length - a.length || a.localeCompare(b));
    expect(sorted.map((text): unknown => JSON.parse(text))).toEqual(wanted);
    expect(['401', '403'].filter((status) => operation?.responses[status] !== undefined)).toEqual(
      refusals,
    );
  });

  it('describes an answer once, however many decorators declare it', () => {
    const responses = document.paths['/routes/account']?.get?.responses ?? {};
    expect(Object.keys(responses).sort()).toEqual(['401', '404', '500', '503']);
    expect(responses['500']).toMatchObject({ description: 'Unexpected failure (internal_error)' });
  });

  it('names no credential that the document does not know', () => {
    const known = Object.keys(document.components?.securitySchemes ?? {});
    const named = Object.values(document.paths).flatMap(({ get }) => get?.security ?? []);
    expect(known).toEqual(expect.arrayContaining(named.flatMap((one) => Object.keys(one))));
  });
});
