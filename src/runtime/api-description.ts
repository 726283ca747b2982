import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';

/** Of the wire contract (docs/contract.md#1), not of the program: it changes with the contract. */
const API_VERSION = '1.0.0';

/** Relaxed for the viewer alone: it brings an inline script and inline styles (docs/contract.md#1.1). */
const VIEWER_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** GET /openapi.json and /docs, made at the first request from the code's own decorators. */
export function describeApi(app: NestExpressApplication): void {
  const config = new DocumentBuilder()
    .setTitle('Curtail')
    .setDescription('Shortens links, redirects visitors, counts their clicks exactly.')
    .setVersion(API_VERSION)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'JWT or API key (svc_…)' })
    .addCookieAuth('access_token')
    .addCookieAuth('refresh_token', undefined, 'refresh_token')
    .build();
  app.use('/docs', (_: Request, response: Response, next: NextFunction) => {
    response.setHeader('Content-Security-Policy', VIEWER_POLICY);
    next();
  });
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, config), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
  });
}
