import 'reflect-metadata';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../app.module';
import type { Runtime } from '../config/environment';
import type { Settings } from '../config/settings';
import type { AppLog } from '../common/log';
import { jsonBodies } from '../common/http/body-parsers';
import { cors } from '../common/http/cors';
import { sendError, toCurtailError } from '../common/http/error-response';
import { securityHeaderSetter } from './web-server';
import { JournalWriter } from '../clicks/journal/journal.writer';
import { NestLog } from '../infrastructure/logging/nest-log';
import { MongoConnector } from '../infrastructure/mongo/mongo-connector';
import { RedirectHandler } from '../redirect/redirect.handler';
import { describeApi } from './api-description';
import { HttpAdapter } from './web-server';
import { Pipelining } from './pipelining';
import {
  allowLongAnswer,
  answerBrokenRequests,
  closeServer,
  guardAgainstSlowClients,
  ignoreExpectations,
} from './web-server';

const IN_FLIGHT_MS = 4000;

/** A web process' server: Nest on Express, with the redirect front ahead of both. */
export class Web {
  private constructor(
    private readonly app: NestExpressApplication,
    private readonly server: Server,
  ) {}

  static async start(settings: Settings, runtime: Runtime, log: AppLog): Promise<Web> {
    const app = await NestFactory.create<NestExpressApplication>(
      AppModule.of(settings, runtime, log),
      new HttpAdapter(),
      { bodyParser: false, logger: new NestLog(log), abortOnError: false },
    );
    app.disable('x-powered-by');
    app.disable('etag');
    app.set('trust proxy', settings.http.trustProxy);
    app.use(...cors(settings.http));
    app.use(jsonBodies());
    describeApi(app);
    const server = app.getHttpServer();
    guardAgainstSlowClients(server);
    ignoreExpectations(server);
    await app.init();
    await app.get(MongoConnector).start();
    putRedirectAhead(app, server, settings, log);
    await app.listen(settings.http.port, settings.http.host);
    return new Web(app, server);
  }

  /** Answers what is in flight, gives the journal to the recorder, closes everything. */
  async stop(): Promise<void> {
    await closeServer(this.server, IN_FLIGHT_MS);
    this.app.get(JournalWriter).close();
    await this.app.close();
  }
}

function putRedirectAhead(
  app: NestExpressApplication,
  server: Server,
  settings: Settings,
  log: AppLog,
): void {
  const setHeaders = securityHeaderSetter(settings.http);
  const express = app.getHttpAdapter().getInstance() as (
    request: IncomingMessage,
    response: ServerResponse,
  ) => void;
  const next = (request: IncomingMessage, response: ServerResponse): void => {
    setHeaders(request, response);
    allowLongAnswer(response);
    express(request, response);
  };
  const refuse = (request: IncomingMessage, response: ServerResponse, thrown: unknown): void => {
    setHeaders(request, response);
    const error = toCurtailError(thrown);
    if (error.logLevel === 'error') {
      const requestId = response.getHeader('X-Request-ID');
      log.error(error.message, { code: error.code, requestId, err: error.cause ?? error });
    }
    sendError(request, response, error);
  };
  server.removeAllListeners('request');
  const pipelining = new Pipelining(app.get(RedirectHandler).handle(next, refuse));
  server.on('request', pipelining.listener);
  answerBrokenRequests(server, pipelining, settings.http.baseUrl.startsWith('https:'));
}
