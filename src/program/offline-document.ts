import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { apiDocument } from '../api-description/api-document';
import { AppModule } from '../app.module';
import type { Runtime } from '../config/options';
import type { Settings } from '../config/settings';
import { PlainLog } from '../infrastructure/logging/plain-log';

/** Values that the primary normally provides; the API document does not need them. */
const NOT_RUNNING: Runtime = { mongoUri: '', secret: '' };

/** Creates the application with its routes, but without any instances of its providers. */
export function offlineApp(settings: Settings): Promise<INestApplication> {
  return NestFactory.create(AppModule.forRoot(settings, NOT_RUNNING, new PlainLog()), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
}

/** Creates the API document for these settings without starting a service. */
export async function offlineDocument(settings: Settings): Promise<object> {
  return apiDocument(await offlineApp(settings), settings.http.baseUrl);
}
