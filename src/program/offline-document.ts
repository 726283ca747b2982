import { NestFactory } from '@nestjs/core';
import { apiDocument } from '../api-description/api-document';
import { AppModule } from '../app.module';
import type { Runtime } from '../config/environment.schema';
import type { Settings } from '../config/settings';
import { PlainLog } from '../infrastructure/logging/plain-log';

/** Told to workers by the primary; nothing of a preview asks for it. */
const NOT_RUNNING: Runtime = { mongoUri: '', jwtSecret: '' };

/** The document that a service with these settings answers, without starting one. */
export async function offlineDocument(settings: Settings): Promise<object> {
  const app = await NestFactory.create(AppModule.forRoot(settings, NOT_RUNNING, new PlainLog()), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return apiDocument(app, settings.http.baseUrl);
}
